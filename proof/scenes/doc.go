// Package scenes tests emend as a whole, on a real disk, beside others: people who save the file that an agent changes,
// processes that change the same files at once, files with metadata, undo, secrets, and a huge file. It has tests only.
//
//	go -C proof test -v ./scenes
//	EMEND_SCENES_SECONDS=30 EMEND_SCENES_SAVES=20000 go -C proof test -v -timeout 20m ./scenes
//	go -C proof test -v -tags planted -run Planted ./scenes
//	EMEND_SCENES_INCREMENTS=10000 EMEND_SCENES_KILLS=500 go -C proof test -v -timeout 30m -run Counter ./scenes
//	EMEND_SCENES_SEQUENCES=2000 go -C proof test -v -timeout 30m -run Undo ./scenes
//	EMEND_SCENES_SPARSE=10G go -C proof test -v -timeout 30m -run Sparse ./scenes
//
// Each scene also runs a wrong agent or a wrong history, and fails if it does not detect it.
//
//	EMEND_SCENES_SAVES    saves of each editor               (default: 2000)
//	EMEND_SCENES_SECONDS  how long the processes run         (default: 5)
//	EMEND_SCENES_KILLS    number of kills                    (default: two a second; 20 of those that count)
//	EMEND_SCENES_SEED     which files, pauses and kills      (default: 1)
//
//	EMEND_SCENES_INCREMENTS  how far sixty-four processes count by each call  (default: 300)
//	EMEND_SCENES_LINEAR      how far sixteen do, every step told              (default: 150)
//	EMEND_SCENES_SEQUENCES   sequences of calls that are undone               (default: 30)
//	EMEND_SCENES_SPARSE      the size of the large file, such as 10G          (default: 256M)
//
// The scenes do not show that a power cut loses nothing, or that any single system call may fail. Packages crashtest and sweep
// do. Here the scheduler picks the moments.
package scenes
