//! The columns of a CSV file, by the names that POS systems give them.

use super::problem::{Place, Problem};
use super::table::Row;
use unicode_normalization::UnicodeNormalization;

macro_rules! columns {
    ($($(#[$doc:meta])* $column:ident: $name:literal $(, $alias:literal)*;)*) => {
        /// What a column holds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Column {
            $($(#[$doc])* $column,)*
        }

        /// Each column with its names, the one to show people first.
        const NAMES: &[(Column, &[&str])] = &[$((Column::$column, &[$name $(, $alias)*]),)*];
    };
}

columns! {
    /// Whether the row is an item or a topping.
    Kind: "kind", "type", "種別", "区分", "商品種別", "商品区分";
    /// The shop's own code.
    Sku: "sku", "code", "item code", "product code", "plu", "商品コード", "商品番号", "商品CD", "商品ID", "メニューコード", "品番";
    /// The code of the section, if it has one beside its name.
    SectionKey: "section code", "category code", "department code", "部門コード", "部門番号", "部門CD", "部門ID", "カテゴリコード", "カテゴリーコード", "分類コード";
    /// The section.
    Section: "section", "section ja", "category", "department", "部門", "部門名", "カテゴリ", "カテゴリー", "カテゴリ名", "分類", "分類名";
    /// The section in English.
    SectionEn: "section en", "category en", "department en", "部門英語", "部門名英語", "部門英語名", "カテゴリ英語", "分類英語";
    /// The name; in Japanese, if there is one in English too.
    NameJa: "name", "name ja", "item name", "product name", "商品名", "商品名称", "品名", "メニュー名", "名称";
    /// The name in English.
    NameEn: "name en", "item name en", "商品名英語", "商品英語名", "英語名", "英語商品名", "英語名称", "メニュー名英語";
    /// What to say about it.
    DescriptionJa: "description", "description ja", "説明", "商品説明", "説明文", "メニュー説明";
    /// What to say about it, in English.
    DescriptionEn: "description en", "説明英語", "商品説明英語", "英語説明", "説明文英語";
    /// Tax included.
    Price: "price", "unit price", "価格", "税込価格", "販売価格", "売価", "単価", "税込単価", "価格税込", "販売価格税込";
    /// In percent.
    TaxRate: "tax rate", "tax", "税率", "消費税率", "消費税";
    /// Where it is made.
    Station: "station", "kitchen station", "printer", "調理場", "厨房", "出力先", "キッチン", "キッチンプリンタ", "プリンタ";
    /// What it holds.
    Allergens: "allergens", "allergen", "アレルゲン", "アレルギー", "アレルギー物質";
    /// Pieces; empty: not tracked.
    Stock: "stock", "quantity", "在庫", "在庫数", "在庫数量";
    /// The picture.
    Image: "image", "image url", "picture", "画像", "画像URL", "商品画像";
    /// Of an item: the topping groups that it offers. Of a topping: its group.
    Groups: "topping groups", "topping group", "toppings", "group", "トッピンググループ", "トッピンググループコード", "トッピング", "オプショングループ";
    /// The name of a topping's group.
    GroupName: "group name", "group name ja", "グループ名", "トッピンググループ名";
    /// The name of a topping's group in English.
    GroupNameEn: "group name en", "グループ名英語", "グループ英語名", "トッピンググループ名英語";
    /// Portions that must be chosen.
    GroupMin: "group min", "min", "最小", "最小選択数", "最小数";
    /// Portions that may be chosen.
    GroupMax: "group max", "max", "最大", "最大選択数", "最大数";
}

/// Columns without which there is no menu.
const REQUIRED: [Column; 3] = [Column::Sku, Column::NameJa, Column::Price];

/// Which column is where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Names as the file has them.
    names: Vec<String>,
    known: Vec<(Column, usize)>,
}

impl Header {
    /// Reads the first row.
    ///
    /// *Errors*: required columns are missing, or two columns mean the same.
    pub fn parse(row: &Row) -> Result<Self, Vec<Problem>> {
        let mut known: Vec<(Column, usize)> = Vec::new();
        let mut problems = Vec::new();
        for (index, name) in row.cells.iter().enumerate() {
            let Some(column) = column(name) else {
                continue;
            };
            match known.iter().find(|(c, _)| *c == column) {
                Some((_, first)) => {
                    let message = format!(
                        "means the same as the column {:?}: leave one of them out",
                        row.cells[*first]
                    );
                    problems.push(Problem::new(Place::Row(row.number), name, message));
                }
                None => known.push((column, index)),
            }
        }
        let header = Self {
            names: row.cells.clone(),
            known,
        };
        for column in REQUIRED.into_iter().filter(|column| !header.has(*column)) {
            let named = |is_english: bool| {
                column
                    .names()
                    .iter()
                    .filter(move |name| name.is_ascii() == is_english)
                    .take(2)
            };
            let names: Vec<_> = named(true).chain(named(false)).copied().collect();
            let mut message = format!("is missing: name a column {}", names.join(", "));
            if column == Column::Price && row.cells.iter().any(|name| name.contains("税抜")) {
                message.push_str("; prices must include tax");
            }
            problems.push(Problem::new(Place::Row(row.number), column.names()[0], message));
        }
        match problems.is_empty() {
            true => Ok(header),
            false => Err(problems),
        }
    }

    /// The file has this column.
    pub fn has(&self, column: Column) -> bool {
        self.known.iter().any(|(c, _)| *c == column)
    }

    /// How the file calls this column.
    pub fn name(&self, column: Column) -> &str {
        self.index(column)
            .and_then(|index| self.names.get(index))
            .map_or(column.names()[0], String::as_str)
    }

    /// The cell of this column; `None` when there is no such column, or nothing in it.
    pub fn cell<'r>(&self, row: &'r Row, column: Column) -> Option<&'r str> {
        let cell = row.cells.get(self.index(column)?)?;
        (!cell.is_empty()).then_some(cell.as_str())
    }

    /// Names of columns that mean nothing to a menu.
    pub fn ignored(&self) -> Vec<&str> {
        let is_known = |index: usize| self.known.iter().any(|(_, known)| *known == index);
        let ignored = self
            .names
            .iter()
            .enumerate()
            .filter(|(index, name)| !is_known(*index) && !name.is_empty());
        ignored.map(|(_, name)| name.as_str()).collect()
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    fn index(&self, column: Column) -> Option<usize> {
        self.known.iter().find(|(c, _)| *c == column).map(|(_, index)| *index)
    }
}

impl Column {
    fn names(self) -> &'static [&'static str] {
        NAMES
            .iter()
            .find(|(column, _)| *column == self)
            .map_or(&[""], |(_, names)| names)
    }
}

fn column(name: &str) -> Option<Column> {
    let name = comparable(name);
    NAMES
        .iter()
        .find(|(_, names)| names.iter().any(|known| comparable(known) == name))
        .map(|(column, _)| *column)
}

/// `Name_EN`, `name en` and `Name (EN)` are one name, and so are `商品名（英語）` and `商品名英語`.
fn comparable(name: &str) -> String {
    name.nfkc()
        .filter(|c| c.is_alphanumeric() || *c == 'ー')
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Row {
        Row {
            number: 1,
            cells: cells.iter().map(|cell| cell.to_string()).collect(),
        }
    }

    #[test]
    fn columns_are_known_by_english_and_japanese_names() {
        for (name, known) in [
            ("SKU", Some(Column::Sku)),
            ("item_code", Some(Column::Sku)),
            ("商品コード", Some(Column::Sku)),
            ("Name (EN)", Some(Column::NameEn)),
            ("商品名（英語）", Some(Column::NameEn)),
            ("商品名", Some(Column::NameJa)),
            ("部門", Some(Column::Section)),
            ("カテゴリー", Some(Column::Section)),
            ("ｶﾃｺﾞﾘ", Some(Column::Section)),
            ("販売価格（税込）", Some(Column::Price)),
            ("税率", Some(Column::TaxRate)),
            ("最大選択数", Some(Column::GroupMax)),
            ("税抜価格", None),
            ("原価", None),
            ("", None),
        ] {
            assert_eq!(column(name), known, "{name}");
        }
    }

    #[test]
    fn no_name_means_two_columns() {
        let mut seen = std::collections::HashMap::new();
        for (column, names) in NAMES {
            for name in *names {
                assert_eq!(seen.insert(comparable(name), column), None, "{name}");
            }
        }
    }

    #[test]
    fn missing_and_doubled_columns_are_named() {
        let problems = Header::parse(&row(&["商品名", "品名", "税抜価格"]))
            .err()
            .unwrap_or_default();
        let problems: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(
            problems,
            [
                "row 1, 品名: means the same as the column \"商品名\": leave one of them out",
                "row 1, sku: is missing: name a column sku, code, 商品コード, 商品番号",
                "row 1, price: is missing: name a column price, unit price, 価格, 税込価格; prices must include tax",
            ]
        );
    }
}
