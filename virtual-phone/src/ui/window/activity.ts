/** One activity on a task's stack: its intent, and the state that its views keep between builds. */
import { type Intent } from '../../android/world.js'
import { type Ui } from '../apps/app.js'
import { type EditState } from '../toolkit/edit-state.js'
import { type ScrollState, type View } from '../toolkit/view.js'

export interface DialogRecord {
  build: (ui: Ui) => View
  /** The field of the activity that regains the focus. */
  focusBefore: EditState | null
}

export interface Activity {
  package: string
  className: string
  intent: Intent
  fields: Map<string, EditState>
  scrolls: Map<string, ScrollState>
  locals: Map<string, object>
  dialog: DialogRecord | null
  /** The field that has the input connection. */
  focusedField: EditState | null
  /** The field that was last scrolled into view, and whether the keyboard was shown then. */
  revealed: { field: EditState | null; keyboard: boolean }
  /** The view with the key focus, as a path of child indices. */
  keyFocus: string | null
  onBack: (() => void) | null
}

export interface TaskRecord {
  id: number
  package: string
  stack: Activity[]
}

export function newActivity(packageName: string, className: string, intent: Intent): Activity {
  return {
    package: packageName,
    className,
    intent,
    fields: new Map(),
    scrolls: new Map(),
    locals: new Map(),
    dialog: null,
    focusedField: null,
    revealed: { field: null, keyboard: false },
    keyFocus: null,
    onBack: null,
  }
}
