import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { EventTime } from '@/app/(dashboard)/history/_view/event-time';

const textOf = (iso: string) =>
  renderToStaticMarkup(<EventTime iso={iso} isStacked />).replaceAll(/<[^>]*>/g, '');

it('the time of an event has its date, unless it is today', () => {
  expect(textOf('2020-06-15T12:00:00.042Z')).toMatch(/^06-15\n\d\d:\d\d:00\.042$/);
  expect(textOf(new Date().toISOString())).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
});
