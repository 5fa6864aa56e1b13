/**
 * Permissions of built-in apps, which are stored as the answers in the permission controller. Part of
 * `world.ts`.
 */
import { CONTROLLER, type Permission } from '../apps/permission.js'
import { type Model } from './model.js'

const names: Readonly<Record<Permission, string>> = {
  location: 'android.permission.ACCESS_FINE_LOCATION',
  camera: 'android.permission.CAMERA',
}

const answersOf = (model: Model): Record<string, string> => model.dataOf(CONTROLLER) as Record<string, string>

/** Returns the permissions by name, with whether each is granted. */
export function permissionsOf(model: Model, packageName: string): Map<string, boolean> {
  const asked = model.app(packageName)?.permissions ?? []
  const answer = (permission: Permission) => answersOf(model)[`${packageName}/${permission}`] ?? 'denied'
  return new Map(asked.map((permission) => [names[permission], answer(permission) !== 'denied']))
}

/** Ends an app that loses a permission, as Android does. */
export function setPermission(model: Model, packageName: string, name: string, granted: boolean): void {
  const permission = (model.app(packageName)?.permissions ?? []).find((each) => names[each] === name)
  if (permission === undefined) return
  answersOf(model)[`${packageName}/${permission}`] = granted ? 'granted' : 'denied'
  if (!granted) model.forceStop(packageName)
}
