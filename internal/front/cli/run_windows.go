package cli

import "os"

var runSignals = []os.Signal{os.Interrupt}

func fromKeyboard(os.Signal) bool { return true }

func exitStatus(p *os.ProcessState) int { return p.ExitCode() }
