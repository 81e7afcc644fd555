import type { HistoryLevel } from './layout-history';

/** What a zoom draws, in words. */
export const levelTexts: Readonly<Record<HistoryLevel, string>> = {
  density: 'bars count events (logarithmic, full at 1 000); a triangle marks trouble among them',
  bursts: 'a number in a pill: so many events that touch each other',
  events: 'each event is drawn; a bar before an ACK or NACK is the time since its response',
};
