/** Saves what a list shows, as CSV or JSON. */
import { Download } from 'lucide-react'
import { Button } from './button'
import { csvOf } from './csv'
import { save } from './download'
import { Menu, MenuItem } from './menu'

interface ExportProps<T extends object> {
  /** Of the file, without its ending. */
  name: string
  /** What the list has: "entries". */
  what: string
  columns: readonly (keyof T & string)[]
  rows: readonly T[]
  /** The same with more than columns can show. Left out: the rows. */
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
