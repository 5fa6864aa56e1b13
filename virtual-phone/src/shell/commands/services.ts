/** The system services for `service list`, `cmd -l`, `dumpsys -l`. */

/** Interfaces by the service's name. */
export const serviceInterfaces: Readonly<Record<string, string>> = {
  accessibility: 'android.view.accessibility.IAccessibilityManager',
  account: 'android.accounts.IAccountManager',
  activity: 'android.app.IActivityManager',
  activity_task: 'android.app.IActivityTaskManager',
  alarm: 'android.app.IAlarmManager',
  appops: 'com.android.internal.app.IAppOpsService',
  battery: '',
  clipboard: 'android.content.IClipboard',
  connectivity: 'android.net.IConnectivityManager',
  device_config: '',
  device_policy: 'android.app.admin.IDevicePolicyManager',
  deviceidle: 'android.os.IDeviceIdleController',
  display: 'android.hardware.display.IDisplayManager',
  dropbox: 'com.android.internal.os.IDropBoxManagerService',
  input: 'android.hardware.input.IInputManager',
  input_method: 'com.android.internal.view.IInputMethodManager',
  location: 'android.location.ILocationManager',
  isub: 'com.android.internal.telephony.ISub',
  lock_settings: 'com.android.internal.widget.ILockSettings',
  notification: 'android.app.INotificationManager',
  package: 'android.content.pm.IPackageManager',
  power: 'android.os.IPowerManager',
  settings: '',
  statusbar: 'com.android.internal.statusbar.IStatusBarService',
  'telephony.registry': 'com.android.internal.telephony.ITelephonyRegistry',
  testharness: '',
  trust: 'android.app.trust.ITrustManager',
  uimode: 'android.app.IUiModeManager',
  user: 'android.os.IUserManager',
  vpn_management: 'android.net.IVpnManager',
  wifi: 'android.net.wifi.IWifiManager',
  window: 'android.view.IWindowManager',
}

export const serviceNames: readonly string[] = Object.keys(serviceInterfaces)
