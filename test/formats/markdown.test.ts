import { markdownFormat } from '../../src/formats/markdown.ts';
import { testCases } from '../helpers/edit-cases.ts';

testCases('markdown', markdownFormat, 14);
