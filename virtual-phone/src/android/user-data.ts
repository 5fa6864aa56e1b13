/**
 * User data of a phone other than files, apps and settings. Only a PIN can be set on the phone's screen;
 * other data is set through the fault port (`faults/leftovers.ts`), for tests of the data that a wipe must
 * remove. Shown by `dumpsys`, `cmd` and `pm`.
 */
import type { DropBoxEntry } from './logs/dropbox.js'

export interface Account {
  name: string
  /** The type of the account's authenticator: `com.google`. */
  type: string
  /**
   * The app that keeps the account, and with which the account is removed; omitted when the system keeps the account.
   */
  owner?: string
}

interface WifiNetwork {
  id: number
  ssid: string
  /** Security type in `cmd wifi list-networks`: `open`, `wpa2-psk`. */
  security: string
}

export interface UserData {
  accounts: Account[]
  wifiNetworks: WifiNetwork[]
  /** Users other than the owner, who is user 0. */
  users: { id: number; name: string }[]
  /** Components in short form, and the user ID of their app. */
  deviceAdmins: { component: string; uid: number }[]
  /** The app with an active VPN; null when no VPN is active. */
  vpn: string | null
  /** The lock screen's PIN; null when the screen opens by a swipe, or has no lock. */
  pin: string | null
  /** Reports of crashes and hangs, oldest first. */
  dropBox: DropBoxEntry[]
  /** The SIM in its slot; null when the slot is empty. */
  sim: { forwards: boolean; messages: number } | null
  /** Profiles on the phone's eUICC. */
  esimProfiles: number
  /** The memory card. */
  memoryCard: boolean
}

const noCards = { sim: null, esimProfiles: 0, memoryCard: false }

/** Changes the data like a data wipe: cards in the slots and the carrier's data stay. */
export const wiped = ({ sim, esimProfiles, memoryCard }: UserData): UserData => ({
  ...noUserData(),
  sim,
  esimProfiles,
  memoryCard,
})

export function noUserData(): UserData {
  const none = { accounts: [], wifiNetworks: [], users: [], deviceAdmins: [], dropBox: [] }
  return { ...none, vpn: null, pin: null, ...noCards }
}
