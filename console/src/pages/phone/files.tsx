/** Files in the shared storage of the phone. */
import { useQuery } from '@tanstack/react-query'
import { CornerLeftUp, Download, File as FileIcon, Folder, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, urlOf } from '../../api/client'
import { type FileEntry } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { bytesText } from '../../ui/bytes'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Loaded } from '../../ui/failed'
import { Name } from '../../ui/name'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'
import { ChooseFiles } from './choose-files'

export const storageRoot = '/sdcard'

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || storageRoot

interface Props {
  project: string
  phone: string
  folder: string
  onFolder: (folder: string) => void
  /** Null: the user may not change files. */
  onFiles: ((files: readonly File[]) => void) | null
}

export function Files({ project, phone, folder, onFolder, onFiles }: Props) {
  const [deleted, setDeleted] = useState<string | null>(null)
  const list = useQuery({
    queryKey: ['files', project, phone, folder],
    queryFn: () => call('GET /projects/:project/phones/:phone/files', { project, phone, path: folder }),
  })
  const change = useChange(['files', project, phone])
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex min-w-0 items-center gap-1">
          <Button
            look="ghost"
            size="icon"
            aria-label="Open the folder above"
            disabled={folder === storageRoot}
            onClick={() => onFolder(parentOf(folder))}
          >
            <CornerLeftUp aria-hidden />
          </Button>
          <bdi className="min-w-0 truncate font-mono text-[13px]">{folder}</bdi>
        </p>
        {onFiles && (
          <div className="flex flex-wrap items-center gap-3">
            <span className="hidden text-muted sm:inline">Drop files anywhere, up to 4 MB each.</span>
            <ChooseFiles label="Choose files…" onFiles={onFiles} />
          </div>
        )}
      </div>
      <Card>
        <Loaded query={list}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="p-4 text-muted">The folder is empty.</p>
            ) : (
              <ul aria-label="Files" className="divide-y divide-border">
                {data.map((entry) => (
                  <Row
                    key={entry.name}
                    entry={entry}
                    content={urlOf('GET /projects/:project/phones/:phone/files/content', {
                      project,
                      phone,
                      path: `${folder}/${entry.name}`,
                    })}
                    onOpen={() => onFolder(`${folder}/${entry.name}`)}
                    onDelete={onFiles && (() => setDeleted(entry.name))}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      <Confirm
        isOpen={deleted !== null}
        onOpenChange={(isOpen) => !isOpen && setDeleted(null)}
        title={<Ask verb="Delete" name={deleted ?? ''} />}
        description="The file cannot be restored."
        action="Delete file"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () =>
              call('DELETE /projects/:project/phones/:phone/files', {
                project,
                phone,
                path: `${folder}/${deleted ?? ''}`,
              }),
            { onSettled: () => setDeleted(null) },
          )
        }
      />
    </div>
  )
}

interface RowProps {
  entry: FileEntry
  content: string
  onOpen: () => void
  onDelete: (() => void) | null
}

const Row = ({ entry, content, onOpen, onDelete }: RowProps) => (
  <li className="flex items-center gap-3 px-4 py-1.5 sm:px-5">
    {entry.type === 'directory' ? (
      <Folder className="size-4 shrink-0 text-muted" aria-hidden />
    ) : (
      <FileIcon className="size-4 shrink-0 text-muted" aria-hidden />
    )}
    <div className="min-w-0 flex-1">
      {entry.type === 'directory' ? (
        <button
          type="button"
          className="max-w-full truncate rounded text-left hover:underline"
          onClick={onOpen}
        >
          <Name>{entry.name}</Name>
        </button>
      ) : (
        <p className="truncate">
          <Name>{entry.name}</Name>
        </p>
      )}
    </div>
    <span className="text-right text-[13px] text-muted tabular-nums">
      {entry.type === 'file' && bytesText(entry.size)}
    </span>
    <span className="hidden w-32 text-right text-[13px] text-muted sm:block">
      {entry.modified_at !== null && <Time at={entry.modified_at} />}
    </span>
    <div className="flex min-h-9 w-18 justify-end">
      {entry.type === 'file' && (
        <Button look="ghost" size="icon" asChild>
          <a href={content} download={entry.name} aria-label={`Download ${entry.name}`}>
            <Download aria-hidden />
          </a>
        </Button>
      )}
      {entry.type === 'file' && onDelete && (
        <Button look="ghost" size="icon" aria-label={`Delete ${entry.name}`} onClick={onDelete}>
          <Trash2 aria-hidden />
        </Button>
      )}
    </div>
  </li>
)
