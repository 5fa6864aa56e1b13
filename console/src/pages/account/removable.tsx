/** A list whose rows the user can remove, after a confirmation. */
import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Name } from '../../ui/name'
import { Time } from '../../ui/time'
import { type useChange } from '../../shell/use-change'

interface Row {
  id: string
  name: string
  created_at: string | null
}

interface Props<T extends Row> {
  /** The ID of the heading. */
  heading: string
  rows: readonly T[]
  badge?: (row: T) => ReactNode
  /** The name of the kind of row, such as `passkey`. */
  kind: string
  /** The consequence of removing the row, shown below the question. */
  consequence: string
  change: ReturnType<typeof useChange>
  remove: (id: string) => Promise<unknown>
}

export function Removable<T extends Row>({
  heading,
  rows,
  badge,
  kind,
  consequence,
  change,
  remove,
}: Props<T>) {
  /** The row whose removal waits for confirmation. */
  const [removed, setRemoved] = useState<T | null>(null)
  return (
    <>
      <ul aria-labelledby={heading} className="divide-y divide-border">
        {rows.map((row) => (
          <li key={row.id} className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
            <p className="flex min-w-0 flex-wrap items-center gap-2">
              <Name className="truncate">{row.name}</Name>
              {badge?.(row)}
              {row.created_at !== null && (
                <span className="text-[13px] text-muted">
                  added <Time at={row.created_at} />
                </span>
              )}
            </p>
            <Button
              size="small"
              aria-label={`Remove the ${kind} ${row.name}`}
              onClick={() => setRemoved(row)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={removed !== null}
        onOpenChange={() => setRemoved(null)}
        title={<Ask verb="Remove" name={removed?.name ?? ''} />}
        description={consequence}
        action={`Remove ${kind}`}
        isBusy={change.isPending}
        onConfirm={() =>
          removed && change.mutate(() => remove(removed.id), { onSettled: () => setRemoved(null) })
        }
      />
    </>
  )
}
