/** Rows with a bar each, for parts of a sum. */
import { type ReactNode } from 'react'

export interface Share {
  id: string
  name: ReactNode
  /** The value that the bar's length shows. */
  value: number
  text: string
  note: string
}

/** @param labelledBy the ID of its heading */
export function Shares({ labelledBy, shares }: { labelledBy: string; shares: readonly Share[] }) {
  const most = Math.max(1, ...shares.map(({ value }) => value))
  return (
    <ul aria-labelledby={labelledBy} className="divide-y divide-border">
      {shares.map(({ id, name, value, text, note }) => (
        <li key={id} className="grid gap-1.5 px-4 py-2.5 sm:px-5">
          <div className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 truncate">{name}</span>
            <span className="flex shrink-0 gap-4 tabular-nums">
              <span className="text-muted">{note}</span>
              <span className="min-w-16 text-right">{text}</span>
            </span>
          </div>
          <div className="h-1.5 overflow-hidden rounded-full bg-hover" aria-hidden>
            <div className="h-full rounded-full bg-primary" style={{ width: `${(value / most) * 100}%` }} />
          </div>
        </li>
      ))}
    </ul>
  )
}
