use super::*;

fn cut(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

fn found(search: &str, text: &str) -> bool {
    Search::parse(search).find(&[text]).is_some()
}

/// Q1: words are what stands between blanks and punctuation, in lower case, without accents
#[test]
fn texts_are_cut_into_words() {
    assert_eq!(cut("Mend the CART-total, v2!"), ["mend", "the", "cart", "total", "v2"]);
    assert_eq!(cut("cafe\u{301} Café ŒUVRE"), ["cafe", "cafe", "œuvre"]);
    assert_eq!(cut("日本語のtest"), ["日", "本", "語", "の", "test"]);
    assert_eq!(cut("か\u{3099}が"), ["か\u{3099}", "か\u{3099}"]);
    assert_eq!(cut("ship🚀it → ok"), ["ship", "🚀", "it", "→", "ok"]);
    assert_eq!(cut("***\0\"'--^:()[]{} \u{200b}\u{7}"), Vec::<String>::new());
    assert_eq!(cut("a\0b"), ["a", "b"]);
    for word in words("Ünder №5 the ﬁrst 한국어 हिन्दी 🚀日か\u{3099}") {
        assert!(!word.text.is_empty() && !word.at.is_empty());
    }
}

/// Q1: every word must match, prefix on the last; what stands together is found together
#[test]
fn every_word_must_be_there() {
    let text = "Mend the shopping cart: totals of callboard/shop-17 are off. 日本語";
    for search in [
        "cart mend",
        "cart tot",
        "CART",
        "shop-17",
        "callboard/shop-1",
        "17 shopping",
        "(cart)",
        "本語",
        "日",
    ] {
        assert!(found(search, text), "{search}");
    }
    for search in ["cart pay", "car mend", "17-shop", "art", "語本", "", "  ", "***", "the-cart"]
    {
        assert!(!found(search, text), "{search}");
    }
}

/// Q1: characters that mean something to the index are literal text
#[test]
fn nothing_is_an_operator() {
    for search in [
        "mend OR pay",
        "mend NOT cart",
        "NEAR(mend cart)",
        "title:mend",
        "-mend pay",
        "^cart mend pay",
    ] {
        assert!(!found(search, "mend the cart"), "{search}");
    }
    assert!(found("mend* \"the\" NOT", "mend the cart not"));
}

/// Q1: the snippet shows what matched
#[test]
fn a_snippet_is_one_line_around_what_was_found() {
    let long =
        format!("{}\nmend the\tcart\u{1b}[31m now {}", "before ".repeat(30), "after ".repeat(60));
    let snippet = Search::parse("cart mend").find(&["title", &long]).unwrap();
    let marked = snippet.marked("<", ">");
    assert!(marked.starts_with("…before"), "{marked}");
    assert!(marked.contains("before <mend> the <cart>[31m now after"), "{marked}");
    assert!(marked.ends_with("after…") && snippet.text.chars().count() <= 122, "{marked}");
    let whole = Search::parse("car").find(&["mend the cart"]).unwrap();
    assert_eq!(whole.marked("[", "]"), "mend the [cart]");
    let giant = "x".repeat(10_000);
    assert_eq!(Search::parse("x").find(&[&giant]).unwrap().hits.len(), 1);
}

/// Q1: more words than the index is asked for are looked for in the text
#[test]
fn long_searches_look_at_the_text() {
    let many: Vec<String> = (0..100).map(|n| format!("word{n}")).collect();
    let search = Search::parse(&many.join(" "));
    assert!(search.needs_text() && search.whole_words().len() == ASKED);
    assert!(found(&many.join(" "), &many.join(", ")));
    assert!(!found(&many.join(" "), &many[1..].join(" ")));
    assert!(!Search::parse("cart mend").needs_text());
}

/// Q1: of a text that has only some of the words those are shown
#[test]
fn hits_are_ascending_and_apart() {
    let hits = |search: &str, text: &'static str| {
        let hits = Search::parse(search).hits(text);
        hits.into_iter().map(|hit| &text[hit]).collect::<Vec<_>>()
    };
    assert_eq!(hits("cart mend tot", "Mend the cart's totals"), ["Mend", "cart", "totals"]);
    assert_eq!(hits("shop-17 17", "shop-17 17"), ["shop-17", "17"]);
    assert_eq!(hits("caf\u{e9}", "Cafe\u{301}s 日本"), ["Cafe\u{301}s"]);
    assert_eq!(hits("***", "***"), [] as [&str; 0]);
}
