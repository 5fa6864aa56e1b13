/**
 * The twenty tasks, distributed over four phones in turn. The last four tasks change the phone's display, so
 * no task follows them.
 */
import * as apps from './app-tasks.js'
import * as people from './people-tasks.js'
import * as settings from './settings-tasks.js'
import { type Task } from './task.js'

export const phoneCount = 4

export const tasks: readonly Task[] = [
  people.addContact,
  people.numberIntoNote,
  people.deleteContact,
  people.newsIntoMessage,

  settings.airplaneMode,
  settings.automaticTime,
  settings.bluetoothTile,
  settings.brightest,

  apps.order,
  apps.cheapest,
  apps.bankLogin,
  people.lockedNote,

  people.writeNote,
  people.answerMessage,
  people.deleteNote,
  apps.hangingApp,

  settings.german,
  settings.largestFont,
  apps.whereAmI,
  apps.weekendAlarm,
]
