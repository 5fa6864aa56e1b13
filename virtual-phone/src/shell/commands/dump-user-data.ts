/**
 * `dumpsys account`, `user`, `device_policy`, `vpn_management`, `connectivity` and `accessibility`, and the rows of
 * `pm list users` and `cmd wifi list-networks`. Forms: AOSP 14 `AccountManagerService`, `UserManagerService`,
 * `DevicePolicyData`, `Vpn`, `ConnectivityService`, `AccessibilityUserState`, `WifiShellCommand`.
 */
import type { Android } from '../../android/android.js'

export function dumpAccounts({ userData }: Android): string {
  const rows = userData.accounts
    .map(({ name, type }) => `    Account {name=${name}, type=${type}}\n`)
    .join('')
  return `User UserInfo{0:Owner:4c13}:\n  Accounts: ${userData.accounts.length}\n${rows}
  AccountId, Action_Type, timestamp, UID, TableName, Key
  Accounts History

  Active Sessions: 0

  RegisteredServicesCache: 0 services
`
}

/** Returns the output of `pm list users` and `cmd user list`. A second user is not running. */
export function listUsers({ userData }: Android): string {
  const others = userData.users.map(({ id, name }) => `\tUserInfo{${id}:${name}:410}\n`)
  return `Users:\n\tUserInfo{0:Owner:4c13} running\n${others.join('')}`
}

export function dumpUsers({ userData }: Android): string {
  const others = userData.users.map(
    ({ id, name }) =>
      `  UserInfo{${id}:${name}:410} serialNo=${id} isPrimary=false\n    Type: android.os.usertype.full.SECONDARY\n    State: -1\n`,
  )
  return `Current user: 0
Users:
  UserInfo{0:Owner:4c13} serialNo=0 isPrimary=true
    Type: android.os.usertype.full.SYSTEM
    State: RUNNING_UNLOCKED
${others.join('')}
  Max users: 1
`
}

export function dumpDevicePolicy({ userData }: Android): string {
  const admins = userData.deviceAdmins.map(
    ({ component, uid }) =>
      `    ${component}:\n      uid=${uid}\n      testOnlyAdmin=false\n      policies:\n        wipe-data\n        reset-password\n        force-lock\n`,
  )
  return `Current Device Policy Manager state:
  Immutable state:
    mHasFeature=true
    mIsWatch=false
    mIsAutomotive=false
    mHasTelephonyFeature=false
    mSafetyChecker=null

  Enabled Device Admins (User 0, provisioningState: 0):
${admins.join('')}
    mPasswordOwner=-1
    mPasswordTokenHandle=0
`
}

/** A phone without a VPN prints its built-in VPN, with type -1. */
export function dumpVpn({ userData: { vpn } }: Android): string {
  const name = vpn ?? '[Legacy VPN]'
  return `VPNs:\n  0: ${name}\n    Active package name: ${name}\n    Active vpn type: ${vpn === null ? -1 : 1}\n`
}

export function dumpConnectivity({ userData: { vpn } }: Android): string {
  const agent =
    vpn === null
      ? ''
      : `  NetworkAgentInfo{network{101} handle{437952241677} ni{VPN CONNECTED extra: VPN:${vpn}} created=2026-01-01T00:00:00.000Z Score(Policies : EVER_EVALUATED&IS_UNMETERED&IS_VPN&IS_VALIDATED) lp{{InterfaceName: tun0 LinkAddresses: [ 10.0.0.2/32 ] Routes: [ 0.0.0.0/0 -> 0.0.0.0 tun0 mtu 0 ]}} nc{[ Transports: VPN Capabilities: INTERNET&NOT_RESTRICTED&TRUSTED&VALIDATED ]}}\n`
  return `Active default network: ${vpn === null ? 'none' : '101'}\n\nCurrent Networks:\n${agent}\n`
}

export function dumpAccessibility({ settings }: Android): string {
  const enabled = (settings.get('secure', 'enabled_accessibility_services') ?? '')
    .split(':')
    .filter((name) => name !== '')
    .map((name) => `{${name}}`)
  return `ACCESSIBILITY MANAGER (dumpsys accessibility)

currentUserId=0
User state[
     attributes:{id=0, touchExplorationEnabled=false, serviceHandlesDoubleTap=false, requestMultiFingerGestures=false, requestTwoFingerPassthrough=false, displayMagnificationEnabled=false, autoclickEnabled=false, nonInteractiveUiTimeout=0, interactiveUiTimeout=0, installedServiceCount=${enabled.length}}
     button target:{null}
     Bound services:{}
     Enabled services:{${enabled.join(', ')}}
     Binding services:{}
     Crashed services:{}
]
`
}

/** Returns the rows of `cmd wifi list-networks`. */
export function listWifiNetworks({ userData: { wifiNetworks } }: Android): string {
  if (wifiNetworks.length === 0) return 'No networks\n'
  const rows = wifiNetworks.map(
    ({ id, ssid, security }) => `${String(id).padEnd(12)} ${ssid.padEnd(32)} ${security.padEnd(4)}\n`,
  )
  return `Network Id      SSID                         Security type\n${rows.join('')}`
}
