import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { HistoryLabels } from '@/app/_drawings/history/history-labels';
import { buildLanes } from '@/lib/views/history/build-lanes';
import { placeLanes } from '@/lib/views/history/place-lanes';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { historyMarks } from '../support/builders/history-marks';

const { lanes } = buildLanes(
  historyMarks([
    { at: 1, kind: 'ack-sent', typeUrl: CDS.typeUrl },
    { at: 2, kind: 'ack-sent', typeUrl: EDS.typeUrl },
    { at: 3, kind: 'ack-sent', typeUrl: CDS.typeUrl, clientId: 'c2', streamId: 's2' },
  ]),
);
const placed = placeLanes(lanes, true);

/** The texts of the labels from the top. */
function labels(shown: {
  readonly top: number;
  readonly bottom: number;
  readonly widthPx?: number;
}): string[] {
  const markup = renderToStaticMarkup(
    <HistoryLabels placed={placed} widthPx={148} headingPx={400} {...shown} />,
  );
  return [...markup.matchAll(/<p[^>]*>(.*?)<\/p>/g)].map(([, text = '']) => text.replace(/<[^>]*>/g, '|'));
}

test('each client has a heading, and the first lane of a source its name', () => {
  expect(labels({ top: 0, bottom: placed.heightPx })).toMatchInlineSnapshot(`
    [
      "node of c1",
      "|probe|CDS",
      "EDS",
      "node of c2",
      "|probe|CDS",
    ]
  `);
});

test('rows that are scrolled out of the drawing have no label', () => {
  expect(labels({ top: 0, bottom: 10 })).toEqual(['node of c1']);
});

test('narrow labels leave out the source, whose name would be cut to less than 7 characters', () => {
  expect(labels({ top: 0, bottom: placed.heightPx, widthPx: 84 }).join()).not.toContain('probe');
});
