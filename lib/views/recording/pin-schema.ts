/** GET pins: ranges of the log that are exempt from retention. */
import * as z from 'zod';
import { time } from '../fields/answer-fields';

export const pin = z.object({
  id: z.string(),
  /** Both ends are included. */
  from: time,
  to: time,
  /** Absent: all clients. */
  clientId: z.string().optional(),
  label: z.string(),
  createdAt: time,
});
export const pinList = z.object({ items: z.array(pin) });

export const newPin = z
  .strictObject({
    from: time,
    to: time,
    clientId: z.string().min(1).max(200).optional(),
    label: z.string().trim().min(1).max(200),
  })
  .refine(({ from, to }) => from <= to, {
    path: ['from'],
    message: 'expected a time that is not after to',
  });

export type Pin = z.infer<typeof pin>;
