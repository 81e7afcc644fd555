import { expect, test } from 'vitest';
import { drawHistoryPicture } from '@/app/_drawings/history/draw-history-picture';
import { escapeXml } from '@/app/_drawings/history/escape-xml';
import { buildAxis } from '@/lib/views/history/build-axis';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { placeLanes } from '@/lib/views/history/place-lanes';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import { CDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../support/builders/history-marks';
import { palette } from '../support/history-palette';

const start = Date.UTC(2026, 10, 21, 11, 4);
const after = (ms: number) => start + ms;
const felt = { outcome: 'waits', durationMs: 800, text: 'requests waited' } as const;
const tears: Tears = {
  clientId: 'c1',
  profile: 'go-1.73',
  from: after(0),
  to: after(9_000),
  start: { listener: 'shop' },
  beginsAt: after(0),
  hasOlder: false,
  isCut: false,
  reportedTo: Date.parse('2026-11-20T00:00:00.000Z'),
  total: 1,
  items: [
    {
      kind: 'cluster-removed-in-use',
      fromAt: after(4_000),
      toAt: after(4_800),
      durationMs: 800,
      resources: [{ typeUrl: CDS.typeUrl, name: 'cart', service: 'CDS' }],
      rejection: '',
      preA74: felt,
      a74: felt,
    },
  ],
};

function draw() {
  const timeline = historyMarks(
    [
      { at: start, kind: 'stream-opened' },
      { at: start + 900, kind: 'response-received', typeUrl: CDS.typeUrl },
      { at: start + 2_100, kind: 'ack-sent', typeUrl: CDS.typeUrl, tookMs: 1_200 },
      { at: start + 4_000, kind: 'response-received', typeUrl: CDS.typeUrl },
      { at: start + 5_500, kind: 'nack-sent', typeUrl: CDS.typeUrl, tookMs: 1_500 },
      { at: start + 9_000, kind: 'stream-closed' },
    ],
    [{ fromSeq: 1, toSeq: 2, from: after(7_000), to: after(8_000), reason: 'busy' }],
  );
  const lanes = buildLanes(timeline);
  const placedTimeline = { timeline, lanes, placed: placeLanes(lanes.lanes, false), rows: [] };
  const axis = buildAxis(timeline, 1_100);
  const title = 'History of <shop> & "cart"';
  return drawHistoryPicture({
    ...{ title, placedTimeline, axis, window: axis.extent, tears, palette, timeZone: 'UTC' },
  });
}

test('a saved picture contains its title, times with time zone, legend and units, and needs no style sheet', async () => {
  const { svg, width, height } = draw();
  await expect(svg).toMatchFileSnapshot('history-picture.svg');
  expect(svg).toContain('History of &lt;shop&gt; &amp; &quot;cart&quot;');
  expect(svg).toContain('2026-11-21 11:03:59.892 UTC to 2026-11-21 11:04:09.108 UTC');
  for (const word of ['response', 'NACK', 'open stream', 'not recorded', 'tear: a request waited']) {
    expect(svg).toContain(word);
  }
  expect(svg).toContain('Times in UTC');
  expect(svg).not.toMatch(/class=|var\(--/);
  expect(svg).toContain(`viewBox="0 0 ${width} ${height}"`);
});

test('escapeXml escapes markup, and replaces characters that XML does not allow', () => {
  expect(escapeXml('<a b="c">&\u0000\ud800')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;\ufffd\ufffd');
});
