import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { EventTime } from '@/app/_views/history/event-time';

const textOf = (at: number) =>
  renderToStaticMarkup(<EventTime at={at} isStacked />).replaceAll(/<[^>]*>/g, '');

it('the time of an event has its date, unless it is today', () => {
  expect(textOf(Date.parse('2020-06-15T12:00:00.042Z'))).toMatch(/^06-15\n\d\d:\d\d:00\.042$/);
  expect(textOf(Date.now())).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
});
