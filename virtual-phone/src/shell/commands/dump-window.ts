/** `dumpsys window`, `activity` and `input_method`: the foreground activity, and the keyboard's client. */
import type { Android } from '../../android/android.js'
import { appProcesses, type AppProcess } from '../../android/app-processes.js'
import { findPackage } from '../../android/packages.js'
import { token } from './dump-package.js'
import { dumpServices } from './dump-services.js'
import { shortComponent } from './intent.js'

interface Front {
  short: string
  full: string
  package: string
  windowToken: string
  recordToken: string
}

function front(android: Android): Front {
  const { package: name, activity } = android.world.focused
  return {
    package: name,
    short: shortComponent(name, activity),
    full: `${name}/${activity}`,
    windowToken: token(`window ${activity}`),
    recordToken: token(`record ${activity}`),
  }
}

export function dumpWindow(android: Android, args: readonly string[]): string {
  const what = args.find((arg) => !arg.startsWith('-')) ?? ''
  if (what === 'windows' || what === 'w' || what === 'visible') return windows(android)
  if (what === 'displays' || what === 'd') return displays(android)
  if (what === 'policy' || what === 'p') return policy(android)
  return `${windows(android)}\n${displays(android)}\n${policy(android)}`
}

/**
 * Returns the focused window. The keyguard is in the window of the shade (SystemUI, Android 11 and later). A system
 * dialog contains the name of its app's process (`AppErrorDialog`, `AppNotRespondingDialog`).
 */
function focusedWindow(android: Android): string {
  const f = front(android)
  const { locked, systemDialog } = android.world
  if (locked) return `Window{${token('shade')} u0 NotificationShade}`
  if (!systemDialog) return `Window{${f.windowToken} u0 ${f.full}}`
  const title = systemDialog.kind === 'crash' ? 'Application Error' : 'Application Not Responding'
  return `Window{${token(`dialog ${title}`)} u0 ${title}: ${systemDialog.package}}`
}

function focus(android: Android): string {
  const f = front(android)
  const window = android.world.awake ? focusedWindow(android) : 'null'
  return `  mCurrentFocus=${window}\n  mFocusedApp=ActivityRecord{${f.recordToken} u0 ${f.short} t1}\n`
}

function windows(android: Android): string {
  const f = front(android)
  const { width, height } = android.world.display
  const { shown } = android.world.inputMethod
  const frame = `[0,0][${width},${height}]`
  const secure = android.world.secure ? 'SECURE ' : ''
  return `WINDOW MANAGER WINDOWS (dumpsys window windows)
  Window #0 Window{${token('ime')} u0 InputMethod}:
    mDisplayId=0 rootTaskId=1 mSession=Session{${token('session ime')} 500:u0a10151}
    package=com.android.inputmethod.latin appop=NONE
    mHasSurface=${shown} isReadyForDisplay()=${shown} mWindowRemovalAllowed=false
    isOnScreen=${shown}
    isVisible=${shown}
${bars(android)}  Window #3 Window{${f.windowToken} u0 ${f.full}}:
    mDisplayId=0 rootTaskId=1 mSession=Session{${token('session app')} 4100:u0a10100}
    mActivityRecord=ActivityRecord{${f.recordToken} u0 ${f.short} t1}
    package=${f.package} appop=NONE
    mAttrs={(0,0)(fillxfill) sim={adjust=unspecified forwardNavigation} ty=BASE_APPLICATION fmt=TRANSPARENT wanim=0x10302fe
      fl=LAYOUT_IN_SCREEN ${secure}LAYOUT_INSET_DECOR SPLIT_TOUCH HARDWARE_ACCELERATED DRAWS_SYSTEM_BAR_BACKGROUNDS
      pfl=NO_MOVE_ANIMATION FORCE_DRAW_STATUS_BAR_BACKGROUND FIT_INSETS_CONTROLLED}
    Frames: containing=${frame} parent=${frame} display=${frame} frame=${frame}
    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false
    isOnScreen=true
    isVisible=true

${focus(android)}  mInputMethodTarget in display# 0 Window{${f.windowToken} u0 ${f.full}}
  mGlobalConfiguration={1.0 ?mcc?mnc [en_US] ldltr sw411dp w411dp h914dp ${android.world.display.density}dpi}
`
}

/** Returns the system bars that are visible. */
function bars(android: Android): string {
  const seen = android.world.accessibilityWindows()
  const { width, height } = android.world.display
  const bar = (index: number, name: string, title: string, type: string, y: number): string => {
    const bounds = seen.find((window) => window.title === title)?.bounds
    const { left, top, right, bottom } = bounds ?? { left: 0, top: y, right: width, bottom: y }
    const frame = `[${left},${top}][${right},${bottom}]`
    const shown = bounds !== undefined
    return `  Window #${index} Window{${token(`window ${name}`)} u0 ${name}}:
    mDisplayId=0 rootTaskId=1 mSession=Session{${token('session systemui')} 500:u0a10150}
    package=com.android.systemui appop=NONE
    mAttrs={(0,0)(fillx${bottom - top}) sim={adjust=pan} ty=${type} fmt=TRANSLUCENT}
    mViewVisibility=0x${shown ? '0' : '8'} mHaveFrame=true mObscured=false
    Frames: containing=${frame} parent=${frame} display=${frame} frame=${frame}
    mHasSurface=${shown} isReadyForDisplay()=${shown} mWindowRemovalAllowed=false
    isOnScreen=${shown}
    isVisible=${shown}
`
  }
  return (
    bar(1, 'NavigationBar0', 'navigation', 'NAVIGATION_BAR', height) +
    bar(2, 'StatusBar', 'status', 'STATUS_BAR', 0)
  )
}

function displays(android: Android): string {
  const { width, height, density, rotation } = android.world.display
  const [w, h] = rotation % 2 === 0 ? [width, height] : [height, width]
  return `WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=${w}x${h} ${density}dpi cur=${width}x${height} app=${width}x${height} rng=${Math.min(w, h)}x${Math.min(w, h)}-${Math.max(w, h)}x${Math.max(w, h)}
    deferred=false mLayoutNeeded=false
  DisplayRotation
    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED
    mRotation=${rotation}
    mCurrentRotation=ROTATION_${rotation * 90}
${focus(android)}`
}

function policy(android: Android): string {
  const { locked } = android.world
  return `WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mSystemReady=true mSystemBooted=true
    mAwake=${android.world.awake}
    screenState=${android.world.awake ? 'SCREEN_STATE_ON' : 'SCREEN_STATE_OFF'}
    mShowingLockscreen=${locked} mShowingDream=false mDreamingLockscreen=false
    KeyguardServiceDelegate
      showing=${locked}
      showingAndNotOccluded=${locked}
      inputRestricted=${locked}
      occluded=false
      secure=false
      interactiveState=${android.world.awake ? 'INTERACTIVE_STATE_AWAKE' : 'INTERACTIVE_STATE_SLEEP'}
    mIsShowing=${locked}
    mInputRestricted=${locked}
`
}

export function dumpActivity(android: Android, args: readonly string[]): string {
  const what = args.find((arg) => !arg.startsWith('-')) ?? ''
  if (what === 'services' || what === 's') {
    return dumpServices(android, args.filter((arg) => !arg.startsWith('-')).slice(1))
  }
  if (what === 'processes' || what === 'p') return processes(android)
  if (what === 'recents' || what === 'r')
    return `ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n  * Recent #0: Task{${token('task')} #1 type=standard A=${front(android).package}}\n`
  if (what === 'top') return top(android)
  return activities(android)
}

function record(android: Android): string {
  const f = front(android)
  return `ActivityRecord{${f.recordToken} u0 ${f.short} t1}`
}

function activities(android: Android): string {
  const f = front(android)
  const state = android.world.awake ? 'RESUMED' : 'STOPPED'
  return `ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)
Display #0 (activities from top to bottom):
  * Task{${token('task')} #1 type=standard A=${findPackage(android, f.package)?.uid ?? 10100}:${f.package} U=0 visible=true visibleRequested=true mode=fullscreen translucent=false sz=1}
    mLastPausedActivity: null
    mResumedActivity: ${record(android)}
    * Hist  #0: ${record(android)}
      packageName=${f.package} processName=${f.package}
      frontOfTask=true task=Task{${token('task')} #1}
      state=${state} delayedResume=false finishing=false
      mVisible=true
  topResumedActivity=${record(android)}

  ResumedActivity: ${record(android)}
  mFocusedApp=${record(android)}
  mCurrentFocus=${focusedWindow(android)}
  isHomeRecentsComponent=true
  KeyguardController:
    mKeyguardShowing=${android.world.locked}
    mAodShowing=false
    mKeyguardGoingAway=false
`
}

function top(android: Android): string {
  const f = front(android)
  return `TASK ${f.package} id=1 userId=0\n  ACTIVITY ${f.short} ${f.recordToken} pid=${appProcesses(android).find((app) => app.isFront)?.pid ?? 0}\n    Local Activity ${token(f.full)} State:\n      mResumed=true mStopped=false mFinished=false\n`
}

/**
 * Prints the processes, with the adjustment as AOSP `ProcessList.makeOomAdjString` abbreviates it: foreground, or
 * cached in the background.
 */
function processes(android: Android): string {
  const apps = appProcesses(android)
  const name = (app: AppProcess) => `${app.pid}:${app.package}/${app.user.replace('_', '')}`
  const records = apps.map(
    (app) =>
      `  *APP* UID ${app.uid} ProcessRecord{${token(`process ${app.package}`)} ${name(app)}}\n    packageList={${app.package}}\n    pid=${app.pid}\n`,
  )
  const list = apps.map((app, index) =>
    app.isFront
      ? `    Proc #${String(index).padStart(2)}: fg     T/A/TOP  LCMN  t: 0 ${name(app)} (top-activity)\n`
      : `    Proc #${String(index).padStart(2)}: prev   B/ /LAST ---N  t: 0 ${name(app)} (previous)\n`,
  )
  return `ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)
  All known processes:
${records.join('')}
  Process LRU list (sorted by oom_adj, ${apps.length} total, non-act at 0, non-svc at 0):
${list.join('')}`
}

export function dumpInputMethod(android: Android): string {
  const { inputMethod } = android.world
  const f = front(android)
  const id = android.settings.get('secure', 'default_input_method') ?? ''
  const served = inputMethod.served
  return `Current Input Method Manager state:
  Input Methods: mMethodMapUpdateCount=1
  InputMethod #0:
    mId=${id} mSettingsActivityName=null mIsVrOnly=false
  Client state:
  mCurMethodId=${id}
  mCurClient=ClientState{${token('client')} uid=10100 pid=4100 displayId=0}
  mCurFocusedWindow=${f.windowToken}
  mShowRequested=${inputMethod.shown} mShowExplicitlyRequested=false mShowForced=false mInputShown=${inputMethod.shown}
  mInFullscreenMode=false
  mSystemReady=true mInteractive=${android.world.awake}
Input method client state for ClientState{${token('client')}}:
  mServedView=${served ? `android.widget.EditText{${token('edit')} VFED..CL. .F...... 0,0-0,0}` : 'null'}
  mServedInputConnection=${served ? `RemoteInputConnectionImpl{${token('connection')}}` : 'null'}
  mCurrentTextBoxAttribute:
    inputType=0x${inputMethod.inputType.toString(16)} imeOptions=0x0 privateImeOptions=null
Input method service state for InputMethodService{${token('ime service')}}:
  mWindowVisible=${inputMethod.shown} mDecorViewVisible=${inputMethod.shown}
  mInputStarted=${served} mInputViewStarted=${inputMethod.shown}
  mIsInputViewShown=${inputMethod.shown}
`
}
