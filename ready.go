package emend

// Ready says what keeps files of the workspace from being changed at this moment, as far as a look tells: a change that was
// interrupted and not recovered, or a store that cannot be written. It tries nothing and leaves nothing; [Workspace.Doctor]
// does.
func (w *Workspace) Ready() error {
	if err := w.enter(); err != nil {
		return err
	}
	defer w.calls.Done()
	if err := w.interrupted(); err != nil {
		return err
	}
	return w.keeper.where().Usable()
}
