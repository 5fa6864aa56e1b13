/** The clipboard of the phone, which is read only on request: it may hold a password. */
import { useMutation } from '@tanstack/react-query'
import { ClipboardCopy, ClipboardPaste } from 'lucide-react'
import { useId, useState } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../../api/client'
import { Button } from '../../ui/button'

export function Clipboard({ project, phone }: { project: string; phone: string }) {
  const [text, setText] = useState('')
  const id = useId()
  const onError = (error: unknown): void => void toast.error(messageOf(error))
  const read = useMutation({
    mutationFn: () => call('GET /projects/:project/phones/:phone/clipboard', { project, phone }),
    onSuccess: (answer) => setText(answer.text),
    onError,
  })
  const write = useMutation({
    mutationFn: () => call('PUT /projects/:project/phones/:phone/clipboard', { project, phone }, { text }),
    onSuccess: () => void toast.success('The text is in the clipboard of the phone.'),
    onError,
  })
  return (
    <div className="grid gap-3">
      <label htmlFor={id} className="text-muted">
        Text in the clipboard of the phone
      </label>
      <textarea
        id={id}
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        className="field h-auto w-full py-2 font-mono text-[13px]"
      />
      <div className="flex flex-wrap gap-2">
        <Button size="small" isBusy={read.isPending} onClick={() => read.mutate()}>
          <ClipboardCopy aria-hidden /> Read from the phone
        </Button>
        <Button
          size="small"
          look="primary"
          disabled={text === ''}
          isBusy={write.isPending}
          onClick={() => write.mutate()}
        >
          <ClipboardPaste aria-hidden /> Send to the phone
        </Button>
      </div>
    </div>
  )
}
