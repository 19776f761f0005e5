// Package scenes proves emend as a whole, on a real disk, beside others: people who save the file that an agent is
// changing, processes that change the same files at once, and files that carry more than their bytes. It has tests
// only.
//
//	go test -v ./internal/scenes
//	EMEND_SCENES_SECONDS=30 EMEND_SCENES_SAVES=20000 go test -v -timeout 20m ./internal/scenes
//	go test -v -tags planted -run Planted ./internal/scenes
//
// Each scene also runs an agent or a history that is known to be wrong, and fails if it cannot tell.
//
//	EMEND_SCENES_SAVES    saves of each editor               (default: 2000)
//	EMEND_SCENES_SECONDS  how long the processes run         (default: 5)
//	EMEND_SCENES_KILLS    how many of them are killed        (default: two a second)
//	EMEND_SCENES_SEED     which files, pauses and kills      (default: 1)
//
// What the scenes cannot show: that a power cut loses nothing, and that every single system call may fail. Those are
// swept elsewhere, call by call; here the moments are whatever the scheduler makes of them.
package scenes
