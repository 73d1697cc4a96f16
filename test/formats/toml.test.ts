import { tomlFormat } from '../../src/formats/toml.ts';
import { testCases } from '../helpers/edit-cases.ts';

testCases('toml', tomlFormat, 27);
