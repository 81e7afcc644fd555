import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planFinestReading, planLoadReading } from '@/lib/load/plan-load-reading';

const minute = 60_000;
const hour = 3_600_000;
const moment = fc.integer({ min: 0, max: 5 * hour });

test('planLoadReading covers each moment of its time range once, without deleted data', () => {
  const reaches = fc.record({
    raw: fc.constantFrom(0, 3 * hour + 7 * minute),
    minutes: fc.constantFrom(0, 2 * hour),
    hours: fc.constant(0),
  });
  fc.assert(
    fc.property(
      moment,
      moment,
      fc.constantFrom('hours', 'minutes', 'raw'),
      reaches,
      (a, b, coarsest, reach) => {
        fc.pre(coarsest === 'hours' || (reach.raw === 0 && reach.minutes === 0));
        const asked = { from: Math.min(a, b), to: Math.max(a, b) };
        const plan = planLoadReading(asked, coarsest as 'hours', reach);
        expect(plan.span.from).toBeLessThanOrEqual(asked.from);
        expect(plan.span.to).toBeGreaterThanOrEqual(asked.to);
        const parts = [...plan.hours, ...plan.minutes, ...plan.raw].sort((x, y) => x.from - y.from);
        let reached = plan.span.from;
        for (const part of parts) {
          expect(part.from).toBe(reached);
          reached = part.to;
        }
        expect(reached).toBe(Math.max(plan.span.from, plan.span.to));
        for (const { from, to } of plan.hours) expect([from % hour, to % hour]).toEqual([0, 0]);
        for (const { from, to } of plan.minutes) expect([from % minute, to % minute]).toEqual([0, 0]);
        for (const { from } of plan.raw) expect(from).toBeGreaterThanOrEqual(reach.raw);
        for (const { from } of plan.minutes) expect(from).toBeGreaterThanOrEqual(reach.minutes);
      },
    ),
  );
});

test('planFinestReading covers its time range once, at the finest resolution that is kept', () => {
  const reaches = fc.record({
    raw: fc.constantFrom(0, 3 * hour + 7 * minute),
    minutes: fc.constantFrom(0, 2 * hour),
    hours: fc.constantFrom(0, hour),
  });
  fc.assert(
    fc.property(moment, moment, reaches, (a, b, reach) => {
      const asked = { from: Math.min(a, b), to: Math.max(a, b) };
      fc.pre(asked.from < asked.to);
      const { span, hours, minutes, raw } = planFinestReading(asked, reach);
      expect(span.from).toBeLessThanOrEqual(asked.from);
      expect(span.to).toBeGreaterThanOrEqual(asked.to);
      let reached = span.from;
      for (const part of [...hours, ...minutes, ...raw]) {
        expect(part.from).toBe(reached);
        reached = part.to;
      }
      expect(reached).toBe(span.to);
      for (const { from, to } of hours) {
        expect([from % hour, to % hour]).toEqual([0, 0]);
        expect(from).toBeLessThan(Math.max(reach.minutes, reach.hours));
      }
      for (const { from } of minutes) expect(from).toBeGreaterThanOrEqual(reach.minutes);
      for (const { from } of raw) expect(from).toBeGreaterThanOrEqual(reach.raw);
    }),
  );
});
