/** Tasks with contacts, messages and notes. */
import { readText } from './phone-agent.js'
import { allTexts, textsOf, type PhoneState } from './phone-state.js'
import { type Task } from './task.js'

const CONTACTS = 'com.android.contacts'
const MESSAGES = 'com.phonerack.messages'
const NOTES = 'com.phonerack.notes'

/** A contact's page by its number. The thousand contacts of a new phone have the numbers 1 to 1000. */
const contact = async (phone: PhoneState, id: number): Promise<string[]> =>
  allTexts(await phone.fresh(`${CONTACTS}/.quickcontact.QuickContactActivity`, { contact: String(id) }))

const lastMessages = async (phone: PhoneState, thread: string, count: number): Promise<string[]> =>
  textsOf(await phone.fresh(`${MESSAGES}/.ConversationActivity`, { thread }), 'message_text').slice(-count)

/** The titles and beginnings of the notes in the list, in one row. */
const noteTexts = async (phone: PhoneState): Promise<string[]> => {
  const screen = await phone.fresh(`${NOTES}/.MainActivity`)
  return screen.filter(({ id }) => /:id\/note_(title|preview)$/.test(id)).map(({ text }) => text)
}

const bodyOf = async (phone: PhoneState, title: string): Promise<string | undefined> => {
  const texts = await noteTexts(phone)
  const at = texts.indexOf(title)
  return at < 0 ? undefined : texts[at + 1]
}

const packingList = 'Größe 43, naïve café\n日本語の本 📚\nשלום'

export const addContact: Task = {
  name: 'add a contact',
  prompt: 'Add the contact Aadu Meri with the phone number +372 5555 0101.',
  async solve(agent) {
    await agent.open(CONTACTS)
    await agent.tap({ desc: 'Create contact' })
    await agent.write({ id: 'name_field' }, 'Aadu Meri')
    await agent.write({ id: 'phone_field' }, '+372 5555 0101')
    await agent.tap('Save')
  },
  state: (phone) => contact(phone, 1001),
  wanted: ['Aadu Meri', '+372 5555 0101', 'Mobile'],
}

export const deleteContact: Task = {
  name: 'delete one contact of a thousand',
  prompt: 'Delete the contact Søren Novak.',
  async solve(agent) {
    await agent.open(CONTACTS)
    await agent.write({ id: 'search_view' }, 'søren novak')
    await agent.tap(({ text, state }) => text === 'Søren Novak' && !state.includes('editable'), {
      desc: 'Delete',
    })
  },
  state: (phone) => contact(phone, 11),
  wanted: ['This contact was deleted'],
}

export const numberIntoNote: Task = {
  name: "copy a contact's number into a note",
  prompt: 'Make a note with the title Call, whose text is the phone number of 佐藤花子.',
  async solve(agent) {
    await agent.open(CONTACTS)
    await agent.write({ id: 'search_view' }, '佐藤花子')
    const page = await agent.tap(({ text, state }) => text === '佐藤花子' && !state.includes('editable'))
    const number = readText(page, /^\+[\d -]+$/)
    await agent.open(NOTES)
    await agent.tap({ desc: 'New note' })
    await agent.write({ text: 'Title' }, 'Call')
    await agent.write({ text: 'Note' }, number)
    await agent.tap({ desc: 'Save' })
  },
  state: (phone) => bodyOf(phone, 'Call'),
  wanted: '+1 202-555-0031',
}

export const answerMessage: Task = {
  name: 'answer a message with what it says',
  prompt: 'Send Mira Fischer the time at which she will be at the station, and nothing else.',
  async solve(agent) {
    await agent.open(MESSAGES)
    const chat = await agent.tap('Mira Fischer')
    const time = readText(chat, /(\d{1,2}:\d\d) at the station/)
    await agent.write({ id: 'compose_message_text' }, time)
    await agent.tap({ desc: 'Send' })
  },
  state: (phone) => lastMessages(phone, 'Mira Fischer', 1),
  wanted: ['10:30'],
}

export const newsIntoMessage: Task = {
  name: 'read a web page and send what it says',
  prompt: 'How many passengers does the new ferry carry, says news.test? Send the number to Echo.',
  async solve(agent) {
    await agent.openUrl('https://news.test/')
    const article = await agent.tap('New ferry runs every forty minutes')
    const passengers = readText(article, /carries (\d+) passengers/)
    await agent.open(MESSAGES)
    await agent.tap('Echo')
    await agent.write({ id: 'compose_message_text' }, passengers)
    await agent.tap({ desc: 'Send' })
  },
  state: (phone) => lastMessages(phone, 'Echo', 2),
  wanted: ['180', '180'],
}

export const writeNote: Task = {
  name: 'write a note in several scripts',
  prompt: `Make a note with the title Packing and this text:\n${packingList}`,
  async solve(agent) {
    await agent.open(NOTES)
    await agent.tap({ desc: 'New note' })
    await agent.write({ text: 'Title' }, 'Packing')
    await agent.write({ text: 'Note' }, packingList)
    await agent.tap({ desc: 'Save' })
  },
  state: (phone) => bodyOf(phone, 'Packing'),
  wanted: packingList,
}

export const deleteNote: Task = {
  name: 'delete a note by a long press',
  prompt: 'Delete the note Shopping and no other.',
  async solve(agent) {
    await agent.open(NOTES)
    await agent.longPress('Shopping')
    await agent.tap('Delete')
  },
  async state(phone) {
    const texts = await noteTexts(phone)
    return ['Shopping', 'Private', 'Welcome'].filter((title) => texts.includes(title))
  },
  wanted: ['Private', 'Welcome'],
}

export const lockedNote: Task = {
  name: 'write into a locked note',
  prompt: 'Open the locked note Private with the password hunter2 and make its text "Under the mat".',
  async solve(agent) {
    await agent.open(NOTES)
    await agent.tap('Private')
    await agent.write({ id: 'password' }, 'hunter2')
    await agent.tap({ id: 'unlock' })
    await agent.write({ id: 'body' }, 'Under the mat')
    await agent.tap({ desc: 'Save' })
  },
  state: async (phone) => textsOf(await phone.fresh(`${NOTES}/.EditActivity`, { note: '3' }), 'body'),
  wanted: ['Under the mat'],
}
