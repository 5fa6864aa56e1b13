/** Saves the shown entries of a list as CSV or JSON. */
import { Download } from 'lucide-react'
import { Button } from './button'
import { csvOf } from './csv'
import { save } from './download'
import { Menu, MenuItem } from './menu'

interface ExportProps<T extends object> {
  /** The name of the file, without its extension. */
  name: string
  /** The name of the rows: "entries". */
  what: string
  columns: readonly (keyof T & string)[]
  rows: readonly T[]
  /** The rows for JSON, which may have more fields than the columns. Default: `rows`. */
  json?: readonly object[]
}

export const Export = <T extends object>({ name, what, columns, rows, json = rows }: ExportProps<T>) => (
  <Menu
    trigger={
      <Button>
        <Download aria-hidden /> Export
      </Button>
    }
  >
    <MenuItem onSelect={() => save(`${name}.csv`, 'text/csv', csvOf(columns, rows))}>
      The shown {what} as CSV
    </MenuItem>
    <MenuItem onSelect={() => save(`${name}.json`, 'application/json', JSON.stringify(json, null, 2))}>
      The shown {what} as JSON
    </MenuItem>
  </Menu>
)
