"""A small program to try emend on."""


def hello(name):
    if not name:
        return "nobody"
    return "hello, " + name


def bye(name):
    if not name:
        return "nobody"
    return "bye, " + name


if __name__ == "__main__":
    print(hello("world"))
