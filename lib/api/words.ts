import { z } from 'zod';
import { clientStatuses, configStatuses } from '../xds/status';

export const time = z.iso.datetime();
export const clientStatus = z.enum(clientStatuses);
export const configStatus = z.enum(configStatuses);
export const vantage = z.enum(['probe', 'tap', 'csds', 'lrs', 'dump', 'lab']);
export const side = z.enum(['client', 'control-plane']);
export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
