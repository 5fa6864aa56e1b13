/** Log levels on the wire. */
import { LogLevel as WireLevel } from '@phonerack/proto'
import type { LogLevel } from '../../adb/device/reports.js'

const onWire: Record<LogLevel, WireLevel> = {
  verbose: WireLevel.LOG_LEVEL_VERBOSE,
  debug: WireLevel.LOG_LEVEL_DEBUG,
  info: WireLevel.LOG_LEVEL_INFO,
  warn: WireLevel.LOG_LEVEL_WARN,
  error: WireLevel.LOG_LEVEL_ERROR,
  fatal: WireLevel.LOG_LEVEL_FATAL,
}

export const toWire = (level: LogLevel): WireLevel => onWire[level]

/** An unspecified or unknown level is the lowest. */
export function fromWire(level: WireLevel): LogLevel {
  const [found] = Object.entries(onWire).find(([, wire]) => wire === level) ?? []
  return (found as LogLevel | undefined) ?? 'verbose'
}
