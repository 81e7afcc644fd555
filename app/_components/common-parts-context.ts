import { createContext } from 'react';
import { type CommonParts, nothingCommon } from '@/lib/format/names/common-parts';

/** The parts that the names of the surrounding list have in common. */
export const CommonPartsContext = createContext<CommonParts>(nothingCommon);
