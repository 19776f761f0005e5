package outcome

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

func Refuse(err error) error {
	return &Refusal{View: report.View{}, List: fail.All(err)}
}
