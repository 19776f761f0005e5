// Package scenes proves emend as a whole, on a real disk, beside others: people who save the file that an agent is
// changing, processes that change the same files at once, files that carry more than their bytes, calls that are taken
// back, secrets, and a file larger than memory should be. It has tests only.
//
//	go -C proof test -v ./scenes
//	EMEND_SCENES_SECONDS=30 EMEND_SCENES_SAVES=20000 go -C proof test -v -timeout 20m ./scenes
//	go -C proof test -v -tags planted -run Planted ./scenes
//	EMEND_SCENES_INCREMENTS=10000 EMEND_SCENES_KILLS=500 go -C proof test -v -timeout 30m -run Counter ./scenes
//	EMEND_SCENES_SEQUENCES=2000 go -C proof test -v -timeout 30m -run Undo ./scenes
//	EMEND_SCENES_SPARSE=10G go -C proof test -v -timeout 30m -run Sparse ./scenes
//
// Each scene also runs an agent or a history that is known to be wrong, and fails if it cannot tell.
//
//	EMEND_SCENES_SAVES    saves of each editor               (default: 2000)
//	EMEND_SCENES_SECONDS  how long the processes run         (default: 5)
//	EMEND_SCENES_KILLS    how many of them are killed        (default: two a second; of those that count 20)
//	EMEND_SCENES_SEED     which files, pauses and kills      (default: 1)
//
//	EMEND_SCENES_INCREMENTS  how far sixty-four processes count by each call  (default: 300)
//	EMEND_SCENES_LINEAR      how far sixteen do, every step told              (default: 150)
//	EMEND_SCENES_SEQUENCES   sequences of calls that are taken back           (default: 30)
//	EMEND_SCENES_SPARSE      the size of the large file, such as 10G          (default: 256M)
//
// What the scenes cannot show: that a power cut loses nothing, and that every single system call may fail. Those are
// swept elsewhere, call by call; here the moments are whatever the scheduler makes of them.
package scenes
