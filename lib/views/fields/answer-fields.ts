import * as z from 'zod';

export { epochMs as time } from '../../observation/field-schemas';

export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
