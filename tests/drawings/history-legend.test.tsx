import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { HistoryLegend } from '@/app/_drawings/history/history-legend';
import { historyMarks } from '../support/builders/history-marks';

const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

test('the legend explains the kinds that occur, in a fixed order, and gaps only if there are some', () => {
  const timeline = historyMarks([
    { at: 2, kind: 'nack-sent' },
    { at: 1, kind: 'stream-opened' },
    { at: 3, kind: 'nack-sent' },
  ]);
  const legend = textOf(renderToStaticMarkup(<HistoryLegend timeline={timeline} level="events" />));
  const gap = { fromSeq: 1, toSeq: 2, from: 1, to: 2, reason: 'busy' };
  const withGap = textOf(
    renderToStaticMarkup(<HistoryLegend timeline={{ ...timeline, gaps: [gap] }} level="events" />),
  );
  expect({ legend, withGap }).toMatchInlineSnapshot(`
    {
      "legend": "stream opened NACK open stream a bar before an ACK or NACK is the time since its response",
      "withGap": "stream opened NACK open stream not recorded a bar before an ACK or NACK is the time since its response",
    }
  `);
});
