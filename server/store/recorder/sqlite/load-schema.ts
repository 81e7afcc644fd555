import { storeFormat } from '../../../store-format';
import type { FileFormat } from './open-database';

/** Its tables are those that convertLoad() reads. */
const version1: FileFormat = {
  what: 'load of xdscope',
  applicationId: 0x7864736c,
  version: 1,
  tables: '',
  smallTables: ['reach', 'series'],
  pragmas: [],
};

/** A store with the tables of load alone in use. */
export const loadFormat: FileFormat & { readonly earlier: FileFormat } = {
  ...storeFormat,
  what: 'a store of load of xdscope',
  smallTables: ['load_reach', 'load_series'],
  earlier: version1,
};
