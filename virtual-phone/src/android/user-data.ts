/**
 * User data of a phone other than files, apps and settings. Only a PIN can be set on its screen; the rest
 * comes through the fault port (`faults/leftovers.ts`), for tests of what a wipe must remove. Shown by
 * `dumpsys`, `cmd` and `pm`.
 */
import type { DropBoxEntry } from './logs/dropbox.js'

export interface Account {
  name: string
  /** Type of its authenticator: `com.google`. */
  type: string
  /** The app that keeps it, and with which it goes; left out: one of the system. */
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
  /** Components in short form, and the uid of their app. */
  deviceAdmins: { component: string; uid: number }[]
  /** The app whose VPN is up; null: none. */
  vpn: string | null
  /** The lock screen's PIN; null: it opens by a swipe, or not at all. */
  pin: string | null
  /** Reports of crashes and hangs, oldest first. */
  dropBox: DropBoxEntry[]
  /** In its slot; null: the slot is empty. */
  sim: { forwards: boolean; messages: number } | null
  /** Profiles on its eUICC. */
  esimProfiles: number
  /** A memory card. */
  memoryCard: boolean
}

const noCards = { sim: null, esimProfiles: 0, memoryCard: false }

/** The state after a data wipe: cards in the slots and the carrier's data stay. */
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
