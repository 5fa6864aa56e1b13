/**
 * Permissions that `pm grant` accepts although no person decides about them. They are refused by name: an app
 * can define a permission whose name contains a line of `pm list permissions -d`, so that list alone is not
 * enough. Used by `permissions.ts`.
 */

/** AOSP `core/res/AndroidManifest.xml`, Android 10 to 16: each protection level with `development`. */
const names = [
  'ACCESS_AMBIENT_LIGHT_STATS',
  'ACCESS_BLOBS_ACROSS_USERS',
  'ACCESS_BROADCAST_RESPONSE_STATS',
  'ACCESS_FINE_POWER_MONITORS',
  'ACCESS_SMARTSPACE',
  'BATTERY_STATS',
  'BRIGHTNESS_SLIDER_USAGE',
  'CHANGE_CONFIGURATION',
  'CONFIGURE_DISPLAY_BRIGHTNESS',
  'CONTROL_UI_TRACING',
  'DUMP',
  'GET_APP_OPS_STATS',
  'GET_PROCESS_STATE_AND_OOM_SCORE',
  'INSTANT_APP_FOREGROUND_SERVICE',
  'INTERACT_ACROSS_USERS',
  'MODIFY_QUIET_MODE',
  'PACKAGE_USAGE_STATS',
  'READ_DROPBOX_DATA',
  'READ_LOGS',
  'READ_UPDATE_ENGINE_LOGS',
  'SET_ALWAYS_FINISH',
  'SET_ANIMATION_SCALE',
  'SET_DEBUG_APP',
  'SET_MEDIA_KEY_LISTENER',
  'SET_PROCESS_LIMIT',
  'SET_VOLUME_KEY_LONG_PRESS_LISTENER',
  'SIGNAL_PERSISTENT_PROCESSES',
  'SYSTEM_ALERT_WINDOW',
  'WRITE_EMBEDDED_SUBSCRIPTIONS',
  'WRITE_SECURE_SETTINGS',
]

export const developmentPermissions: ReadonlySet<string> = new Set(
  names.map((name) => `android.permission.${name}`),
)
