import type { Palette } from '@/app/_drawings/history/use-palette';
import { historyKinds } from '@/lib/views/history/history-kinds';

/** Colours like those of the light theme. */
export const palette: Palette = {
  surface: '#f5f6f8',
  raised: '#ffffff',
  hover: '#e9ecf3',
  line: '#dbdfe6',
  lineStrong: '#7b8492',
  text: '#161a20',
  muted: '#545e6d',
  accent: '#3a4cc0',
  acked: '#0b6b5a',
  nacked: '#b3340a',
  missing: '#83389a',
  band: '#e4e8fb',
  kinds: historyKinds.map((kind) => (kind === 'nack-sent' ? '#b3340a' : '#3a4cc0')),
  font: 'sans-serif',
};
