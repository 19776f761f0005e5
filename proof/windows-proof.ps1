<#
.SYNOPSIS
Proves emend on a real Windows, and prints a report to paste. docs/windows.md says what it adds to what wine has shown.

.DESCRIPTION
Needs Go (go.dev/dl) and, for a part of the tests, git. Run it from a clone, in PowerShell 5 or later. It changes nothing but a directory
of its own below %TEMP% and writes the report to windows-report.md in the current directory. It takes some 20 minutes.

    powershell -ExecutionPolicy Bypass -File proof\windows-proof.ps1

Run it once as it is, with the virus scanner that the machine has, and, if you can, once in developer mode (Settings, System, For
developers), which allows symbolic links.

What happens in a power cut a script cannot show alone. This makes changes until the machine loses power, and prints each number that
emend has acknowledged; note the last one on the screen:

    powershell -ExecutionPolicy Bypass -File proof\windows-proof.ps1 -PowerCut C:\emend-power

and after the restart this tells whether it is kept:

    powershell -ExecutionPolicy Bypass -File proof\windows-proof.ps1 -AfterPowerCut C:\emend-power -Last 1234
#>
param(
    [string]$PowerCut,
    [string]$AfterPowerCut,
    [int]$Last = 0,
    [int]$Kills = 100,
    [string]$Writing = '30s'
)

$ErrorActionPreference = 'Stop'
$repository = Split-Path -Parent $PSScriptRoot
$scratch = Join-Path $env:TEMP ('emend-proof-' + [Guid]::NewGuid().ToString('N').Substring(0, 8))
$emend = Join-Path $scratch 'emend.exe'

function Build-Emend {
    New-Item -ItemType Directory -Force $scratch | Out-Null
    Push-Location $repository
    try {
        & go build -o $emend ./cmd/emend
        if ($LASTEXITCODE -ne 0) { throw 'emend does not build' }
    } finally { Pop-Location }
}

# Ask runs a command and returns what it printed, or why it could not.
function Ask([scriptblock]$what) {
    try { (& $what | Out-String).Trim() } catch { "unknown ($($_.Exception.Message))" }
}

if ($PowerCut) {
    Build-Emend
    New-Item -ItemType Directory -Force (Join-Path $PowerCut '.emend') | Out-Null
    Copy-Item $emend (Join-Path (Split-Path -Parent $PowerCut) 'emend-power.exe') -Force
    [IO.File]::WriteAllText((Join-Path $PowerCut 'number'), "0`n")
    Write-Host 'Turn the power off at any moment, and note the last number.'
    for ($n = 1; ; $n++) {
        "$n" | & $emend -C $PowerCut write number | Out-Null
        if ($LASTEXITCODE -ne 0) { throw "emend refused to write $n" }
        Write-Host $n
    }
}

if ($AfterPowerCut) {
    $kept = Join-Path (Split-Path -Parent $AfterPowerCut) 'emend-power.exe'
    & $kept -C $AfterPowerCut recover
    & $kept -C $AfterPowerCut verify
    $whole = $LASTEXITCODE -eq 0
    $have = [int]([IO.File]::ReadAllText((Join-Path $AfterPowerCut 'number')).Trim())
    if ($whole -and ($have -eq $Last -or $have -eq $Last + 1)) {
        "power cut: the log is whole, the last acknowledged number is $Last, and the file has $have: kept"
        exit 0
    }
    "power cut: the log is whole: $whole; the last acknowledged number is $Last, and the file has ${have}: LOST"
    exit 1
}

Build-Emend
$report = New-Object System.Collections.Generic.List[string]
function Say([string]$line) { $report.Add($line); Write-Host $line }

$failed = 0
try {
    $drive = (Get-Item $env:TEMP).PSDrive.Name
    Say '# emend on Windows'
    Say ''
    Say '| | |'
    Say '|---|---|'
    Say ('| Windows | ' + (Ask { $o = Get-CimInstance Win32_OperatingSystem; "$($o.Caption) $($o.Version)" }) + ' |')
    Say ('| file system of %TEMP% | ' + (Ask { $v = Get-Volume -DriveLetter $drive; "$($v.FileSystemType), $($v.DriveType)" }) + ' |')
    Say ('| virus scanner | ' + (Ask { (Get-CimInstance -Namespace root/SecurityCenter2 -ClassName AntiVirusProduct).displayName -join ', ' }) + ' |')
    Say ('| it looks at files at once | ' + (Ask { (Get-MpComputerStatus).RealTimeProtectionEnabled }) + ' |')
    Say ('| developer mode | ' + (Ask { (Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\AppModelUnlock').AllowDevelopmentWithoutDevLicense -eq 1 }) + ' |')
    Say ('| long paths | ' + (Ask { (Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\FileSystem').LongPathsEnabled -eq 1 }) + ' |')
    Say ('| processor | ' + $env:PROCESSOR_ARCHITECTURE + ' |')
    Say ('| Go | ' + (Ask { & go version }) + ' |')
    Say ('| git | ' + (Ask { & git --version }) + ' |')
    Say ('| emend | ' + (Ask { & git -C $repository describe --always --dirty }) + ' |')

    Say ''
    Say 'What `emend doctor` says:'
    Say ''
    $tree = Join-Path $scratch 'tree'
    New-Item -ItemType Directory -Force (Join-Path $tree '.emend') | Out-Null
    [IO.File]::WriteAllText((Join-Path $tree 'a.txt'), "one`r`ntwo`r`n")
    & $emend -C $tree edit a.txt --old one --new ONE | Out-Null
    foreach ($line in (Ask { & $emend -C $tree doctor }) -split "`r?`n") { Say "    $line" }

    $env:EMEND_WINDOWS_KILLS = "$Kills"
    $env:EMEND_WINDOWS_WRITING = $Writing
    Say ''
    Say '| tests | passed | failed | skipped | seconds |'
    Say '|---|---:|---:|---:|---:|'
    $details = New-Object System.Collections.Generic.List[string]
    foreach ($run in @(
        @('.', './internal/vfs/...'), @('.', './internal/guard'), @('.', './internal/commit'), @('.', './internal/history/...'), @('.', './internal/audit'),
        @('.', './internal/change'), @('.', './internal/find/...'), @('.', './internal/look'), @('.', './internal/workspace'), @('.', './cmd/emend'), @('proof', './windows'))) {
        Push-Location (Join-Path $repository $run[0])
        $begin = Get-Date
        $ErrorActionPreference = 'Continue' # what go prints on standard error is no error of this script
        $out = & go test -count 1 -timeout 30m -v $run[1] 2>&1 | ForEach-Object { "$_" }
        $code = $LASTEXITCODE
        $ErrorActionPreference = 'Stop'
        Pop-Location
        $seconds = [int]((Get-Date) - $begin).TotalSeconds
        $counts = foreach ($what in 'PASS', 'FAIL', 'SKIP') { @($out | Where-Object { $_ -match "^\s*--- ${what}:" }).Count }
        $name = if ($run[0] -eq '.') { $run[1] } else { $run[0] + '/' + $run[1].Substring(2) }
        Say "| $name | $($counts[0]) | $($counts[1]) | $($counts[2]) | $seconds |"
        if ($code -ne 0) {
            $failed++
            $details.Add("`n$name, exit code ${code}:`n")
            $out | Where-Object { $_ -match '^\s*--- FAIL|_test\.go:\d+:|^panic:|^FAIL' } | Select-Object -First 60 | ForEach-Object { $details.Add("    $_") }
        }
        if ($run[1] -eq './windows') { # the figures
            $details.Add("`nWhat the proof of the program says:`n")
            $out | Where-Object { $_ -match '_test\.go:\d+:' } | ForEach-Object { $details.Add('    ' + $_.Trim()) }
        }
        $out | Where-Object { $_ -match 'NOT RUN' } | Select-Object -Unique | ForEach-Object { $details.Add('    ' + $_.Trim()) }
    }
    foreach ($line in $details) { Say $line }
    Say ''
    Say $(if ($failed) { "$failed runs FAILED" } else { 'all runs passed' })
} finally {
    [IO.File]::WriteAllLines((Join-Path (Get-Location) 'windows-report.md'), $report)
    Remove-Item -Recurse -Force $scratch -ErrorAction SilentlyContinue
    Write-Host ''
    Write-Host 'The report is in windows-report.md: paste it whole.'
}
exit $failed
