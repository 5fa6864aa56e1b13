/** One activity on a task's stack: its intent, and what its views remember between builds. */
import { type Intent } from '../../android/world.js'
import { type Ui } from '../apps/app.js'
import { type EditState } from '../toolkit/edit-state.js'
import { type ScrollState, type View } from '../toolkit/view.js'

export interface DialogRecord {
  build: (ui: Ui) => View
  /** The activity's field that gets the focus back. */
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
  /** The field, and whether the keyboard stood below it, that was last scrolled into view. */
  revealed: { field: EditState | null; keyboard: boolean }
  /** Place in the tree of the view that the direction keys chose, as child indices. */
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
