import * as z from 'zod';

export const time = z.iso.datetime();
export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
