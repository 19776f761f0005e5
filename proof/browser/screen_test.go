package browser

import (
	"github.com/chromedp/cdproto/emulation"
)

// screen is the size and colour scheme of a screen.
type screen struct {
	name          string
	width, height int64
	dark, phone   bool
}

// Colours do not depend on the width, so one dark screen is enough.
var screens = []screen{
	{name: "light", width: 1280, height: 800},
	{name: "dark", width: 1280, height: 800, dark: true},
	{name: "phone", width: 390, height: 844, phone: true},
}

// setScreen sets the screen for this and later pages. It disables animations, so that a picture is not taken halfway.
func (b *tab) setScreen(s screen) {
	b.t.Helper()
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	command(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.phone})
}
