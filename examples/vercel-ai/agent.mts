import { createMCPClient } from '@ai-sdk/mcp'
import { openai } from '@ai-sdk/openai'
import { Phonerack } from '@phonerack/sdk'
import { generateText, isStepCount } from 'ai'

// The program rents the phone, not the model. The end of the program deletes the phone, even after an error.
await using phone = await new Phonerack().phones.create({ onIdle: 'delete', maxDuration: 600 })

const mcp = await createMCPClient({
  transport: {
    type: 'http',
    url: `${process.env.PHONERACK_BASE_URL}/mcp`,
    headers: { Authorization: `Bearer ${process.env.PHONERACK_API_KEY}`, 'Phonerack-Profile': 'guarded' },
  },
})
try {
  const { observe, act } = await mcp.tools()
  const { text } = await generateText({
    model: openai('gpt-5.6'),
    tools: { observe, act },
    stopWhen: isStepCount(30),
    prompt: `Use the phone ${phone.id}. In the app com.phonerack.notes, write a note with the title "Milk".`,
  })
  console.log(text)
} finally {
  await mcp.close()
}
