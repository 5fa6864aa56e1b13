/** Which system services there are: `service list`, `cmd -l`, `dumpsys -l`. */

/** Name → interface. */
export const serviceInterfaces: Readonly<Record<string, string>> = {
  account: 'android.accounts.IAccountManager',
  activity: 'android.app.IActivityManager',
  activity_task: 'android.app.IActivityTaskManager',
  alarm: 'android.app.IAlarmManager',
  appops: 'com.android.internal.app.IAppOpsService',
  battery: '',
  clipboard: 'android.content.IClipboard',
  device_config: '',
  deviceidle: 'android.os.IDeviceIdleController',
  display: 'android.hardware.display.IDisplayManager',
  input: 'android.hardware.input.IInputManager',
  input_method: 'com.android.internal.view.IInputMethodManager',
  location: 'android.location.ILocationManager',
  lock_settings: 'com.android.internal.widget.ILockSettings',
  notification: 'android.app.INotificationManager',
  package: 'android.content.pm.IPackageManager',
  power: 'android.os.IPowerManager',
  settings: '',
  statusbar: 'com.android.internal.statusbar.IStatusBarService',
  testharness: '',
  trust: 'android.app.trust.ITrustManager',
  uimode: 'android.app.IUiModeManager',
  user: 'android.os.IUserManager',
  wifi: 'android.net.wifi.IWifiManager',
  window: 'android.view.IWindowManager',
}

export const serviceNames: readonly string[] = Object.keys(serviceInterfaces)
