/** Accepts files that are dropped anywhere on the page, including the live view, and shows their progress. */
import { PackagePlus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Name } from '../../ui/name'
import { Card } from '../../ui/page'
import { Progress } from '../../ui/progress'
import { type Transfer } from './transfers'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/**
 * Covers the page while files are dragged over it, because the live view's frame would take the files otherwise.
 * Without `onFiles`, it only prevents that the browser opens a dropped file in place of the page.
 */
export function DropArea({ onFiles }: { onFiles: ((files: readonly File[]) => void) | null }) {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      if (onFiles) setIsOver(true)
      else if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setIsOver(false)
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(false)
      onFiles?.([...(event.dataTransfer?.files ?? [])])
    }
    const handlers = [
      ['dragenter', over],
      ['dragover', over],
      ['dragleave', leave],
      ['drop', drop],
    ] as const
    for (const [name, handler] of handlers) window.addEventListener(name, handler)
    return () => {
      for (const [name, handler] of handlers) window.removeEventListener(name, handler)
    }
  }, [onFiles])
  if (!isOver || !onFiles) return null
  return (
    <div className="fixed inset-0 z-50 grid place-items-center bg-black/50 p-6">
      <div className="grid justify-items-center gap-2 rounded-lg border-2 border-dashed border-primary bg-surface px-8 py-7 text-center">
        <PackagePlus className="size-7 text-primary" aria-hidden />
        <p className="font-medium">Drop to send to the phone</p>
        <p className="text-muted">An .apk is installed. Other files go to its storage.</p>
      </div>
    </div>
  )
}

const stages: Readonly<Record<Transfer['stage'], readonly [string, Tone]>> = {
  sending: ['sending', 'busy'],
  reading: ['reading', 'busy'],
  installing: ['installing', 'busy'],
  done: ['done', 'good'],
  failed: ['failed', 'danger'],
}

interface Props {
  transfers: readonly Transfer[]
  onClose: (id: number) => void
}

export function Transfers({ transfers, onClose }: Props) {
  if (transfers.length === 0) return null
  return (
    <Card>
      <ul aria-label="Transfers" className="divide-y divide-border">
        {transfers.map((transfer) => (
          <Row key={transfer.id} transfer={transfer} onClose={() => onClose(transfer.id)} />
        ))}
      </ul>
    </Card>
  )
}

function Row({ transfer, onClose }: { transfer: Transfer; onClose: () => void }) {
  const [name, tone] = stages[transfer.stage]
  const isOver = transfer.stage === 'done' || transfer.stage === 'failed'
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 sm:px-5">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="truncate">
          <Name className="font-medium">{transfer.name}</Name>
        </p>
        {transfer.text !== '' && (
          <p role="status" className="text-[13px] break-words text-muted">
            {transfer.text}
          </p>
        )}
        {!isOver && (
          <Progress
            label={`Progress of ${transfer.name}`}
            part={transfer.stage === 'sending' ? transfer.sent : null}
          />
        )}
      </div>
      <Badge tone={tone}>{name}</Badge>
      {isOver && (
        <Button
          look="ghost"
          size="icon"
          aria-label={`Remove ${transfer.name} from the list`}
          onClick={onClose}
        >
          <X aria-hidden />
        </Button>
      )}
    </li>
  )
}
