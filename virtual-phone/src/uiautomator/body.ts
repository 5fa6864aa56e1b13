/** Parses a request's JSON body. A missing field, or a field of another type, is `invalid argument`. */
import type { ScreenRect } from '../android/accessibility.js'
import { invalidArgument } from './errors.js'
import type { Direction, Point } from './gestures.js'
import type { JsonObject } from './session.js'

export const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const oldElementKey = 'ELEMENT'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectIn(body: JsonObject, name: string): JsonObject | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw invalidArgument(`'${name}' must be an object`)
  return value
}

export function numberIn(body: JsonObject, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw invalidArgument(`'${name}' must be a number`)
  return value
}

export function stringIn(body: JsonObject, name: string): string | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw invalidArgument(`'${name}' must be a string`)
  return value
}

export function needed<Value>(value: Value | null, name: string): Value {
  if (value === null) throw invalidArgument(`'${name}' field is mandatory`)
  return value
}

/** Returns the element's ID in `{"element-6066-…": id}`, `{"ELEMENT": id}` or `{"element": id}`. */
export function elementIdIn(value: unknown): string | null {
  if (!isObject(value)) return null
  const id = value[elementKey] ?? value[oldElementKey] ?? value['element']
  return typeof id === 'string' && id !== '' ? id : null
}

export function pointIn(body: JsonObject, name: string): Point | null {
  const point = objectIn(body, name)
  if (point === null) return null
  return {
    x: Math.trunc(needed(numberIn(point, 'x'), `${name}.x`)),
    y: Math.trunc(needed(numberIn(point, 'y'), `${name}.y`)),
  }
}

export function areaIn(body: JsonObject): ScreenRect | null {
  const area = objectIn(body, 'area')
  if (area === null) return null
  const number = (name: string) => Math.trunc(needed(numberIn(area, name), `area.${name}`))
  const [left, top] = [number('left'), number('top')]
  return { left, top, right: left + number('width'), bottom: top + number('height') }
}

export function directionIn(body: JsonObject, gesture: string): Direction {
  const direction = needed(stringIn(body, 'direction'), 'direction').toLowerCase()
  if (direction === 'up' || direction === 'down' || direction === 'left' || direction === 'right')
    return direction
  throw invalidArgument(`${gesture} direction must be one of [LEFT, RIGHT, UP, DOWN]`)
}
