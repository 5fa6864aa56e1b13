/** Recordings of the phone, which are played in the page. */
import { useQuery } from '@tanstack/react-query'
import { Circle, Download, Play, Square, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { call, urlOf } from '../../api/client'
import { type Recording } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Badge, type Tone } from '../../ui/badge'
import { bytesText } from '../../ui/bytes'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/dialog'
import { durationText } from '../../ui/duration'
import { Loaded } from '../../ui/failed'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'

const tones: Readonly<Record<Recording['status'], Tone>> = {
  recording: 'danger',
  processing: 'busy',
  ready: 'good',
  failed: 'warn',
}

interface Props {
  project: string
  phone: string
  isRunning: boolean
  mayChange: boolean
}

export function Recordings({ project, phone, isRunning, mayChange }: Props) {
  const [played, setPlayed] = useState<string | null>(null)
  const queryKey = ['recordings', project, phone]
  const list = useQuery({
    queryKey,
    queryFn: () => call('GET /projects/:project/phones/:phone/recordings', { project, phone }),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'recording' || status === 'processing') === true
        ? 2000
        : 10_000,
  })
  const change = useChange(queryKey)
  const recordings = list.data?.data ?? []
  const running = recordings.find(({ status }) => status === 'recording')
  const shown = recordings.find(({ id, status }) => id === played && status === 'ready')
  return (
    <div className="grid gap-3">
      {mayChange && isRunning && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted">A recording shows everything on the screen, and is kept for 7 days.</p>
          {running ? (
            <Button
              size="small"
              isBusy={change.isPending}
              onClick={() =>
                change.mutate(() =>
                  call('POST /projects/:project/phones/:phone/recordings/:recording/stop', {
                    project,
                    phone,
                    recording: running.id,
                  }),
                )
              }
            >
              <Square aria-hidden /> Stop recording
            </Button>
          ) : (
            <Button
              size="small"
              isBusy={change.isPending}
              onClick={() =>
                change.mutate(() =>
                  call('POST /projects/:project/phones/:phone/recordings', { project, phone }, {}),
                )
              }
            >
              <Circle aria-hidden /> Record
            </Button>
          )}
        </div>
      )}
      {shown && (
        <Card>
          <div className="flex items-center justify-between gap-3 px-4 py-2">
            <p className="min-w-0 truncate font-medium">
              <bdi>{nameOf(shown)}</bdi>
            </p>
            <Button look="ghost" size="icon" aria-label="Close the player" onClick={() => setPlayed(null)}>
              <X aria-hidden />
            </Button>
          </div>
          <video
            key={shown.id}
            src={urlOf('GET /projects/:project/phones/:phone/recordings/:recording/video', {
              project,
              phone,
              recording: shown.id,
            })}
            aria-label={`Recording ${nameOf(shown)}`}
            controls
            autoPlay
            muted
            playsInline
            className="max-h-[70vh] w-full bg-black"
          />
        </Card>
      )}
      <Card>
        <Loaded query={list}>
          {() =>
            recordings.length === 0 ? (
              <p className="p-4 text-muted">No recordings. Agents and members can record the screen.</p>
            ) : (
              <ul aria-label="Recordings" className="divide-y divide-border">
                {recordings.map((recording) => (
                  <Row
                    key={recording.id}
                    recording={recording}
                    mayChange={mayChange}
                    video={urlOf('GET /projects/:project/phones/:phone/recordings/:recording/video', {
                      project,
                      phone,
                      recording: recording.id,
                    })}
                    onPlay={() => setPlayed(recording.id)}
                    onDelete={() =>
                      change.mutate(() =>
                        call('DELETE /projects/:project/phones/:phone/recordings/:recording', {
                          project,
                          phone,
                          recording: recording.id,
                        }),
                      )
                    }
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  )
}

const startText = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

const nameOf = ({ name, started_at: at }: Recording): string =>
  name ?? `Recording of ${startText.format(new Date(at))}`

interface RowProps {
  recording: Recording
  mayChange: boolean
  video: string
  onPlay: () => void
  onDelete: () => void
}

function Row({ recording, mayChange, video, onPlay, onDelete }: RowProps) {
  const [isDeleting, setIsDeleting] = useState(false)
  const { status, duration_ms: duration, size_bytes: size } = recording
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 sm:px-5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="truncate">
          <bdi>{nameOf(recording)}</bdi>
        </p>
        <p className="text-[13px] text-muted tabular-nums">
          <Time at={recording.started_at} />
          {duration !== null && ` · ${durationText(Math.round(duration / 1000))}`}
          {size !== null && ` · ${bytesText(size)}`}
        </p>
      </div>
      <Badge tone={tones[status]}>{status}</Badge>
      <div className="flex">
        {status === 'ready' && (
          <>
            <Button look="ghost" size="icon" aria-label={`Play ${nameOf(recording)}`} onClick={onPlay}>
              <Play aria-hidden />
            </Button>
            <Button look="ghost" size="icon" asChild>
              <a href={video} download={`${recording.id}.mp4`} aria-label={`Download ${nameOf(recording)}`}>
                <Download aria-hidden />
              </a>
            </Button>
          </>
        )}
        {mayChange && status !== 'recording' && (
          <Button
            look="ghost"
            size="icon"
            aria-label={`Delete ${nameOf(recording)}`}
            onClick={() => setIsDeleting(true)}
          >
            <Trash2 aria-hidden />
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isDeleting}
        onOpenChange={setIsDeleting}
        title="Delete the recording?"
        description="Its video cannot be restored."
        action="Delete recording"
        isBusy={false}
        onConfirm={() => {
          setIsDeleting(false)
          onDelete()
        }}
      />
    </li>
  )
}
