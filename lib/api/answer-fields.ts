import * as z from 'zod';
import { vantages } from '../observation/vantage';

import { clientStatuses, configStatuses, states } from '../xds/status';

export const time = z.iso.datetime();
export const state = z.enum(states);
export const clientStatus = z.enum(clientStatuses);
export const configStatus = z.enum(configStatuses);
export const vantage = z.enum(vantages);
export const side = z.enum(['client', 'control-plane']);
export const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
