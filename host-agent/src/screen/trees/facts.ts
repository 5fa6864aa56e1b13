/**
 * The elements that a person sees on the screens in this folder, read from the XML by
 * hand, for `trees.test.ts`. Never recorded from the builder's output.
 */
export interface TreeFacts {
  /** The XML file's name. */
  name: string
  screen: readonly [width: number, height: number]
  /** All elements, in screen order: the type, then the text, or otherwise the description. */
  elements: readonly string[]
  /** Tap points by words. */
  taps: Readonly<Record<string, readonly [x: number, y: number]>>
  /** Words of the XML that no element contains. */
  notListed?: readonly string[]
}

// oxfmt-ignore
export const treeFacts: readonly TreeFacts[] = [
  // A page that claims to be clickable, a list that fits without scrolling, rows that
  // are not clickable.
  { name: 'members-picker', screen: [720, 1608],
    elements: ['TextView', 'TextView Add members', 'TextView', 'TextView My clients', 'ImageView', 'TextView Recent', 'TextView M', 'ImageView', 'TextView Mira', 'TextView @guest', 'RelativeLayout'],
    taps: { Mira: [282, 550], 'My clients': [176, 219] } },
  { name: 'tasks-rtl-compose', screen: [1080, 2400],
    elements: ['TextView مشاوير', 'View ضبط', 'View عودة', 'TextView ٧', 'TextView مواعيد قريبة', 'View تمت', 'View باقية', 'TextView ابحث بالاسم...', 'EditText', 'View شراء الخبز, من السوق', 'View', 'View حذف', 'CheckBox'],
    taps: { 'عودة': [965, 119], 'تمت': [290, 1037], 'حذف': [164, 1913] } },
  // The buttons' pane is clickable and contains all buttons; the next pane is off-screen.
  { name: 'calculator-nexus', screen: [1440, 2392],
    elements: ['Button DEG', 'ImageButton More choices', 'TextView No sum yet', 'TextView Nothing yet', 'Button DEL', 'Button 7', 'Button 8', 'ib', 'LinearLayout Digits and signs', 'ViewGroup Further signs', 'Button =', 'Button +'],
    taps: { 7: [196, 1137], '=': [811, 2153], equals: [811, 2153] }, notListed: ['sin'] },
  { name: 'app-drawer-aosp', screen: [1080, 1776],
    elements: ['FrameLayout Find apps', 'ImageView', 'AppWidgetHostView Quick look-up', 'TextView', 'TextView Birds', 'TextView Maps', 'RecyclerView', 'TextView Radio'],
    taps: { Maps: [417, 434], Radio: [171, 1606], 'Find apps': [540, 168] } },
  { name: 'video-editor', screen: [720, 1280],
    elements: ['Button Leave editor', 'Button Loudness', 'Button Drift', 'Button Words', 'Button Cut', 'Button Further tools'],
    taps: { Drift: [359, 120], Words: [650, 454] } },
  // The strip beside the drawer closes it; elements visible through it cannot be
  // tapped.
  { name: 'drawer-over-profile', screen: [1080, 2400],
    elements: ['Button Circles, 5 of 15', 'Button Help', 'RecyclerView', 'HorizontalScrollView', 'Button Close the drawer', 'Button Sign out'],
    taps: { 'Close the drawer': [1019, 1251], 'Sign out': [479, 2306] },
    notListed: ['Cover picture', 'Portrait', 'Friends in common', 'Half a plan'] },
  { name: 'login-miui', screen: [1080, 2400],
    elements: ['Button English', 'ImageView Faces logo', 'ViewGroup Phone or mail', 'EditText ada@example.com', 'ViewGroup Secret word', 'Button Show it', 'EditText Secret word,', 'ViewGroup', 'Button Go in', "ImageView Maker's mark"],
    taps: { 'Go in': [540, 1428], 'Secret word,': [490, 1269] }, notListed: ['••••••••'] },
  // An icon's picture is described by the word below it, in either order. The second
  // window has no bounds.
  { name: 'launcher-two-roots', screen: [1080, 2400],
    elements: ['FrameLayout It is 6 13, Tuesday', 'ScreenView', 'FrameLayout', 'ImageButton Cup final', 'ImageButton Look up by voice', 'RelativeLayout Look up', 'RelativeLayout Looks', 'RelativeLayout Tools'],
    taps: { Looks: [156, 1571], Tools: [540, 1571], 'Cup final': [131, 1255] }, notListed: ['Looks, Looks', 'Tools, Tools'] },
  { name: 'messages-two-panes', screen: [1600, 2452],
    elements: ['TextView New talk', 'EditText  ab', 'ImageView', 'TextView Talks', 'Button Find', 'ImageView', 'LinearLayout \u2068555 0100\u2069, 3 May, Hello', 'ImageButton Add a file', 'EditText Write here', 'FrameLayout Send', 'ActionBar$Tab Talks', 'ActionBar$Tab People'],
    taps: { Hello: [360, 745], Send: [1530, 2379], People: [513, 2389] } },
  { name: 'new-event-foldable', screen: [1520, 2064],
    elements: ['ImageView Cancel', 'TextView New event', 'ImageView Done', 'TextView Event', 'TextView Big day', 'AutoCompleteTextView Title', 'TextView All day', 'Switch Lasts all day', 'RelativeLayout From, Aug 18 11:00', 'ScrollView', 'FrameLayout Ring loudly', 'Switch Ring loudly'],
    taps: { 'Aug 18 11:00': [1159, 1243], 'Lasts all day': [1423, 1138] }, notListed: ['Scrolled away'] },
  // Working buttons come before a view as large as the screen: document order covers
  // nothing.
  { name: 'feed-three-roots', screen: [480, 640],
    elements: ['ImageView Profile of Kit', 'Button Follow Kit', 'FrameLayout', 'Button Like. 110 likes', 'ViewPager', 'FrameLayout', 'View Film', 'TextView Kit', 'LinearLayout 22 min', 'EditText Say something...'],
    taps: { 'Follow Kit': [446, 156], '22 min': [121, 406] } },
  { name: 'bill-sheet-icon-font', screen: [1344, 2920],
    elements: ['TextView Go back', 'FrameLayout', 'TextView The bill', 'Button Dishes', 'ViewGroup € 36', 'View', 'LinearLayout You saved € 10', 'GridView', 'ViewGroup Tip the rider', 'FrameLayout € 3', 'FrameLayout OFTEN, € 5'],
    taps: { 'Go back': [671, 558], 'You saved € 10': [672, 1790], '€ 5': [433, 2502] }, notListed: ['\ue907', '\ue9a1', '\ue91c'] },
  { name: 'flutter-reader', screen: [1080, 2400],
    elements: ['View Library', 'Button Back', 'Button EN', 'View Find a book...', 'View Read on\nChapter 1\nWhere you left it', 'ScrollView', 'View Marks', 'Button See all', 'View No marks yet\nTap the ribbon', 'Button Open a book', 'View No notes yet'],
    taps: { 'No notes yet': [540, 2277], 'Open a book': [540, 1869] }, notListed: ['Below the fold'] },
  { name: 'react-native-login', screen: [1080, 2400],
    elements: ['TextView ⛵', 'TextView SailLog', 'TextView Come aboard', 'ScrollView', 'TextView Your name', 'EditText Ada', 'ViewGroup Set sail'],
    taps: { 'Set sail': [540, 1557], Ada: [541, 1376] } },
  { name: 'chat-compose', screen: [720, 1536],
    elements: ['View', 'View First', 'View Back', 'View Ada', 'View', 'View Over there?', 'View', 'TextView Chat with Ada', 'View', 'View Long story\nin two lines', 'View Send it'],
    taps: { 'Over there?': [452, 267], Back: [48, 118], 'Send it': [658, 1513] } },
  { name: 'web-page-holes', screen: [1080, 1812],
    elements: ['LinearLayout Back', 'TextView Stage', 'ImageView', 'View A long life on stage, read 1003 times', 'WebView Stage', 'View First night in town', 'View Forty years of song', 'LinearLayout Write a reply', 'FrameLayout 139'],
    taps: { 'First night in town': [540, 1155], 'Forty years of song': [540, 1553], 139: [660, 1744] },
    notListed: ['lost words', 'picture one', 'Under the edge'] },
  { name: 'lock-screen', screen: [720, 1280],
    elements: ['TextView 11%', 'TextView North , South', 'FrameLayout Three bars of Wi-Fi.', 'TextView Thu, 5 April', 'NotificationHeaderView$2 Unfold the notices', 'FrameLayout Phone, Hidden', 'FrameLayout +1', 'ImageView Tap twice and drag', 'TextView Swipe to open', 'ImageView Phone', 'ImageView Camera'],
    taps: { Hidden: [360, 495], Camera: [632, 1202] } },
  { name: 'flutter-silent', screen: [1080, 2400], elements: [], taps: {} },
  { name: 'system-dialog', screen: [1080, 2400],
    elements: ['TextView The shell does not answer', 'Button End it', 'Button Be patient'],
    taps: { 'Be patient': [540, 1091] } },
  // UTF-16 with a byte order mark, a warning before the XML and a message after it.
  { name: 'splash-utf16', screen: [1440, 3088],
    elements: ['TextView PILLS\nAND DAYS', 'TextView v1.0 · día', 'TextView AI', 'View'],
    taps: { AI: [848, 672], 'v1.0 · día': [720, 542] } },
  { name: 'trading-status-bar-first', screen: [720, 1280],
    elements: ['TextView Holdings', 'TextView Oats', 'TextView +1.20', 'TextView Rye', 'TextView -0.30', 'RelativeLayout', 'Button Buy', 'Button Sell'],
    taps: { Oats: [110, 250], '-0.30': [500, 350], Sell: [540, 1150] } },
]
